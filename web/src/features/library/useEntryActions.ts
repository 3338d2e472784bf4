import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { say, sayCount } from '@/kit/say'
import { download } from '@/ui/download'
import { remove } from '@/ui/removals'
import { toast, toastProblem } from '@/ui/toasts'
import { deleteAgents, exportAgent, useDuplicateAgent } from './queries'

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

  return { deleteThem, duplicateIt, exportThem }
}

/** One file after another; the first that cannot be had is told, and ends it. */
function exportThem(agents: readonly Named[]): void {
  const all = async () => {
    for (const { id } of agents) {
      const { name, content } = await exportAgent(id)
      download(name, content)
    }
  }
  all().catch(toastProblem)
}
