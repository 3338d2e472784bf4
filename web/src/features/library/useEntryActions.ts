import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { exportAgents } from '@/features/agents/exporting'
import { say, sayCount } from '@/kit/say'
import { remove } from '@/ui/removals'
import { toast, toastProblem } from '@/ui/toasts'
import { deleteAgents, useDuplicateAgent } from './queries'

type Named = { id: string; name: string; version: number }

/** What can be done with agents from any page that shows them. */
export function useEntryActions() {
  const cache = useQueryClient()
  const navigate = useNavigate()
  const duplicate = useDuplicateAgent()

  function deleteThem(agents: readonly Named[]) {
    const [only, ...others] = agents
    if (only === undefined) return
    remove({
      ids: agents.map(({ id }) => id),
      said:
        others.length === 0
          ? say('common.deleted', { name: only.name || say('common.untitledAgent') })
          : sayCount('agents.deletedMany', agents.length),
      send: () => deleteAgents(agents),
      settled: () => void cache.invalidateQueries({ queryKey: ['agents'] }),
    })
  }

  function duplicateIt(agent: Named) {
    duplicate.mutate(
      { agent_id: agent.id, nameOf: (name) => say('agents.copyOf', { name }) },
      {
        onSuccess: ({ id, name }) =>
          toast(say('agents.duplicated', { name }), {
            action: {
              label: say('agents.openInBuild'),
              act: () => void navigate({ to: '/build/$agentId', params: { agentId: id } }),
            },
          }),
        onError: toastProblem,
      },
    )
  }

  // In use is what the library shows, so that is what it hands on.
  const exportThem = (agents: readonly Named[]) => void exportAgents(agents.map(({ id }) => ({ id })))

  return { deleteThem, duplicateIt, exportThem }
}
