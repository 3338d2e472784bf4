import { useNavigate } from '@tanstack/react-router'
import { exportAgents } from '@/features/agents/exporting'
import { ImportAgent } from '@/features/agents/ImportAgent'
import { say } from '@/kit/say'
import { Menu } from '@/ui/Menu'
import { toast } from '@/ui/toasts'

type Props = {
  agentId: string
  version: number
  isDirty: boolean
  /** Change what it is called; null where nothing can be changed. */
  onAbout: (() => void) | null
}

/** What this agent is called, this one as a file, and another one, new or from a file. */
export function AgentMenu({ agentId, version, isDirty, onAbout }: Props) {
  const navigate = useNavigate()
  async function hand() {
    if ((await exportAgents([{ id: agentId, version }])) && isDirty)
      toast(say('builder.exportsSaved', { version }))
  }
  return (
    <ImportAgent onImported={(made) => void navigate({ to: '/build/$agentId', params: { agentId: made } })}>
      {(choose) => (
        <Menu
          label={say('builder.actions')}
          items={[
            ...(onAbout ? [{ label: say('builder.about'), icon: 'edit' as const, act: onAbout }] : []),
            { label: say('agents.new'), icon: 'plus', act: () => void navigate({ to: '/build' }) },
            { label: say('agents.import'), icon: 'up', writes: true, act: choose },
            { label: say('agents.export'), icon: 'down', act: () => void hand() },
          ]}
        />
      )}
    </ImportAgent>
  )
}
