import { Link } from '@tanstack/react-router'
import { fields, list, text } from '@/kit/json'
import { say } from '@/kit/say'
import { Icon } from '@/ui/Icon'
import type { CardProps } from './ResultCard'

const SHOWN = 5

export function BlocksCard({ output }: CardProps) {
  const blocks = list(output.blocks).map(fields)
  if (blocks.length === 0) return null
  return (
    <details className="card found">
      <summary>
        <Icon name="search" />
        <span className="clip">{blocks.map((block) => text(block.name)).join(', ')}</span>
      </summary>
      <ul>
        {blocks.map((block) => (
          <li key={String(block.id)}>
            <strong>{text(block.name)}</strong> <span className="quiet">{text(block.description)}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

export function AgentsCard({ output }: CardProps) {
  const agents = list(output.agents).map(fields).slice(0, SHOWN)
  return (
    <ul className="card found">
      {agents.map((agent) => {
        const agentId = text(agent.graph_id) ?? text(agent.id) ?? ''
        return (
          <li key={agentId}>
            {agent.source === 'marketplace' ? (
              <strong>{text(agent.name)}</strong>
            ) : (
              <Link to="/library/agents/$agentId" params={{ agentId }}>
                {text(agent.name) || say('common.untitledAgent')}
              </Link>
            )}{' '}
            <span className="quiet">{text(agent.description)}</span>
          </li>
        )
      })}
    </ul>
  )
}
