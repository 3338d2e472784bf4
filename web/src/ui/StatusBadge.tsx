import { sayStatus } from '@/kit/say'

const TONES: Record<string, string> = {
  completed: 'good',
  failed: 'bad',
  completed_with_errors: 'bad',
  error: 'bad',
  running: 'busy',
  queued: 'busy',
  ready: 'busy',
  waiting: 'warn',
  needs_you: 'warn',
  attention: 'warn',
  suspended: 'warn',
  expired: 'bad',
  active: 'good',
}

/** A state in words; the colour only repeats them. */
export function StatusBadge({ status }: { status: string }) {
  return (
    <span className="status" data-tone={TONES[status] ?? 'quiet'} data-status={status}>
      {sayStatus(status)}
    </span>
  )
}
