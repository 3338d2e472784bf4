import { Elapsed } from '@/features/runs/Elapsed'
import { say } from '@/kit/say'
import { whatRan } from './toolWords'
import type { ChatView, Turn } from './view'

/** What the turn does at the moment, and since when. */
export function Progress({ view, turn }: { view: ChatView; turn: Turn }) {
  return (
    <p className="progress">
      <span className="status" data-tone="busy">
        {wordsFor(view, turn)}
      </span>
      {turn.started_at !== null && (
        <span className="quiet small">
          <Elapsed since={turn.started_at} />
        </span>
      )}
    </p>
  )
}

function wordsFor(view: ChatView, turn: Turn): string {
  if (turn.status === 'queued')
    return turn.position === null ? say('chat.queued') : say('chat.queuedPlace', { place: turn.position })
  if (turn.status === 'waiting') return say('chat.waitingForResult')
  const last = view.items.at(-1)
  if (last?.kind === 'tool' && last.ended_at === null) return whatRan(last)
  if (last?.kind === 'reasoning' && !last.done) return say('chat.thinking')
  if (last?.kind === 'text' && !last.done) return say('chat.answering')
  return say('chat.working')
}
