import { say, sayStatus } from '@/kit/say'
import { isSameDay } from '@/kit/time'
import type { Session } from './queries'

export type Group = { name: string; sessions: Session[] }

/** Pinned, Today, Earlier; groups without sessions are left out. */
export function grouped(sessions: readonly Session[], now: number): Group[] {
  const groups: Group[] = [
    { name: say('chat.pinned'), sessions: [] },
    { name: say('chat.today'), sessions: [] },
    { name: say('chat.earlier'), sessions: [] },
  ]
  for (const session of sessions) {
    groups[session.pinned ? 0 : isSameDay(session.updated_at, now) ? 1 : 2]?.sessions.push(session)
  }
  return groups.filter((group) => group.sessions.length > 0)
}

/** What the dot beside a session says; null is no dot. */
export function stateOf(session: Session): { tone: string; words: string } | null {
  if (session.needs_user) return { tone: 'warn', words: sayStatus('needs_you') }
  if (session.status === 'running') return { tone: 'busy', words: sayStatus('running') }
  if (session.status === 'queued') return { tone: 'busy', words: sayStatus('queued') }
  if (session.status === 'waiting') return { tone: 'busy', words: sayStatus('waiting') }
  if (session.unread) return { tone: 'good', words: sayStatus('unread') }
  return null
}
