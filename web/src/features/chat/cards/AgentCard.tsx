import { Link } from '@tanstack/react-router'
import { list, number, text } from '@/kit/json'
import { say, sayCount } from '@/kit/say'
import { Icon } from '@/ui/Icon'
import type { CardProps } from './ResultCard'

/** An agent was made or changed: open it, or run it. */
export function AgentCard({ output }: CardProps) {
  const agentId = text(output.agent_id)
  if (agentId === null) return null
  const version = number(output.graph_version)
  const fixes = list(output.fixes_applied).length
  return (
    <section className="card" aria-label={say('chat.agent')}>
      <Icon name="build" />
      <div className="card-text">
        <strong>{text(output.agent_name) ?? say('chat.agent')}</strong>
        <span className="quiet small">
          {version === null ? say('chat.saved') : say('chat.savedAs', { version })}
          {fixes > 0 && ` · ${sayCount('chat.fixes', fixes)}`}
        </span>
      </div>
      <Link className="button plain end" to="/library/agents/$agentId" params={{ agentId }}>
        {say('chat.run')}
      </Link>
      <Link className="button" to="/build/$agentId" params={{ agentId }}>
        {say('chat.open')}
      </Link>
    </section>
  )
}
