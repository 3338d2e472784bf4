import { say } from '@/kit/say'
import { ErrorPanel } from '@/ui/States'
import type { LiveRun } from './useRun'

/** Says that the server refused the log of a run, and asks again. Without it such a run would look like an empty one. */
export function UnreadLog({ live: { refused, again } }: { live: LiveRun }) {
  if (refused === null) return null
  return <ErrorPanel problem={{ code: refused, message: say('live.unreadable') }} onRetry={again} />
}
