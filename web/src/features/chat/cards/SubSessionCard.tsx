import { Link } from '@tanstack/react-router'
import { text } from '@/kit/json'
import { say } from '@/kit/say'
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
    <section className="card wraps" aria-label={say('chat.subAutopilot')}>
      <Icon name="wheel" />
      <div className="card-text">
        <strong>{say('chat.subAutopilot')}</strong>
        <StatusBadge status={text(output.status) ?? 'running'} />
      </div>
      <Link className="button plain end" to="/chat/$sessionId" params={{ sessionId }}>
        {say('chat.open')}
      </Link>
      {response && (
        <div className="card-more">
          <LazyMarkdown text={response} />
        </div>
      )}
    </section>
  )
}
