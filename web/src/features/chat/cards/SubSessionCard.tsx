import { Link } from '@tanstack/react-router'
import { text } from '@/kit/json'
import { Icon } from '@/ui/Icon'
import { LazyMarkdown } from '@/ui/LazyMarkdown'
import { StatusBadge } from '@/ui/StatusBadge'
import type { CardProps } from './ResultCard'

/** Work that was handed to another session, and a way there. */
export function SubSessionCard({ output }: CardProps) {
  const sessionId = text(output.sub_session_id) ?? text(output.sub_autopilot_session_id)
  const response = text(output.response)
  if (sessionId === null) return null
  return (
    <section className="card wraps" aria-label="Sub-AutoPilot">
      <Icon name="wheel" />
      <div className="card-text">
        <strong>Sub-AutoPilot</strong>
        <StatusBadge status={text(output.status) ?? 'running'} />
      </div>
      <Link className="button plain end" to="/chat/$sessionId" params={{ sessionId }}>
        Open
      </Link>
      {response && (
        <div className="card-more">
          <LazyMarkdown text={response} />
        </div>
      )}
    </section>
  )
}
