import { say, sayCount } from '@/kit/say'
/** How long somebody must wait, in words. */
export function waitOf(seconds: number | null): string {
  if (seconds === null || seconds <= 0) return say('accounts.waitMinute')
  if (seconds < 90) return sayCount('accounts.waitSeconds', Math.ceil(seconds))
  return say('accounts.waitMinutes', { count: Math.ceil(seconds / 60) })
}
