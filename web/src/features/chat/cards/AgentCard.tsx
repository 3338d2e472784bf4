import { Link } from '@tanstack/react-router'
import { list, number, text } from '@/kit/json'
import { Icon } from '@/ui/Icon'
import type { CardProps } from './ResultCard'

/** An agent was made or changed: open it, or run it. */
export function AgentCard({ output }: CardProps) {
  const agentId = text(output.agent_id)
  if (agentId === null) return null
  const version = number(output.graph_version)
  const fixes = list(output.fixes_applied).length
  return (
    <section className="card" aria-label="Agent">
      <Icon name="build" />
      <div className="card-text">
        <strong>{text(output.agent_name) ?? 'Agent'}</strong>
        <span className="quiet small">
          Saved{version !== null && ` as version ${version}`}
          {fixes > 0 && ` · ${fixes} ${fixes === 1 ? 'fix' : 'fixes'} applied`}
        </span>
      </div>
      <Link className="button plain end" to="/library/agents/$agentId" params={{ agentId }}>
        Run
      </Link>
      <Link className="button" to="/build/$agentId" params={{ agentId }}>
        Open
      </Link>
    </section>
  )
}
