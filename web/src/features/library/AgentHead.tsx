import { Link, useNavigate } from '@tanstack/react-router'
import type { Schemas } from '@/api/shapes'
import { say } from '@/kit/say'
import { Menu } from '@/ui/Menu'
import { useEntryActions } from './useEntryActions'

type Props = { agentId: string; agent: Schemas['AgentDetail'] | undefined }

/** The agent's name, the way into Build, and what else can be done with it. */
export function AgentHead({ agentId, agent }: Props) {
  const actions = useEntryActions()
  const navigate = useNavigate()
  const name = agent?.name || say('agents.page')
  return (
    <header>
      <h1>{name}</h1>
      {agent && (
        <span className="quiet">{say('agents.versionNumber', { version: agent.active_version })}</span>
      )}
      <Link className="button plain end" to="/build/$agentId" params={{ agentId }}>
        {say('agents.openInBuild')}
      </Link>
      {agent && (
        <Menu
          label={say('agents.actions', { name })}
          items={[
            {
              label: say('agents.duplicate'),
              icon: 'copy',
              writes: true,
              act: () => actions.duplicateIt(agent),
            },
            { label: say('agents.export'), icon: 'down', act: () => actions.exportThem([agent]) },
            {
              label: say('common.delete'),
              icon: 'trash',
              danger: true,
              writes: true,
              act: () => {
                actions.deleteThem([{ ...agent, version: agent.active_version }])
                void navigate({ to: '/library' })
              },
            },
          ]}
        />
      )}
    </header>
  )
}
