import { api, unwrapped } from '@/api/client'
import { download } from '@/ui/download'
import { toastProblem } from '@/ui/toasts'

type Wanted = { id: string; version?: number | undefined }

/** Agents as files, without secrets, one after another; the first that cannot be had is told, and ends it. */
export async function exportAgents(agents: readonly Wanted[]): Promise<boolean> {
  try {
    for (const agent of agents) await exportAgent(agent)
    return true
  } catch (problem) {
    if (!(problem instanceof Error)) throw problem
    toastProblem(problem)
    return false
  }
}

async function exportAgent({ id, version }: Wanted): Promise<void> {
  const query = version === undefined ? {} : { version }
  const ask = { params: { path: { agent_id: id }, query }, parseAs: 'stream' as const }
  const answer = await unwrapped(api.GET('/api/agents/{agent_id}/export', ask))
  const named = /filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition') ?? '')
  download(named?.[1] ?? 'agent.json', await answer.blob())
}
