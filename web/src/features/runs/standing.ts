import type { Snapshot } from '@/api/live/logs'
import type { RunView } from './reducer'

/** Whether what has happened so far is on its way, was refused before any of it came, or is here. */
export type Standing = 'loading' | 'unread' | 'read'

export function standingOf(
  log: RunView,
  phase: Snapshot<RunView>['phase'],
  refused: string | null,
): Standing {
  if (refused !== null) return log.last === 0 ? 'unread' : 'read'
  return phase === 'loading' ? 'loading' : 'read'
}
