import { elapsed } from '@/kit/time'
import { useNow } from '@/kit/useNow'

/** How long something has been going on. */
export function Elapsed({ since }: { since: string }) {
  const now = useNow(1_000)
  return <span>{elapsed(Math.max(0, Math.floor((now - Date.parse(since)) / 1000) * 1000))}</span>
}
