import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap, unwrapped } from '@/api/client'
import type { Schemas } from '@/api/shapes'
import type { LibraryView } from './view'

export type Entry = Schemas['EntryOut']

const all = ['agents', 'library'] as const

/** One's agents as `view` asks for them. How they fare changes by itself, so it is looked at again and again. */
export function libraryList(view: LibraryView) {
  return infiniteQueryOptions({
    queryKey: [...all, view],
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET('/api/library/agents', {
          params: { query: { ...view, ...(pageParam === null ? {} : { cursor: pageParam }) } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: 5_000,
  })
}

function useForgetAgents() {
  const cache = useQueryClient()
  return () => void cache.invalidateQueries({ queryKey: ['agents'] })
}

/** A copy of what the agent says now, under a new id and a new name. */
export function useDuplicateAgent() {
  const forget = useForgetAgents()
  return useMutation({
    mutationFn: async ({ agent_id, nameOf }: { agent_id: string; nameOf: (name: string) => string }) => {
      const { graph, name, version } = await unwrap(
        api.GET('/api/agents/{agent_id}', { params: { path: { agent_id } } }),
      )
      const { id: _, version: __, ...rest } = graph
      const body = { graph: { ...rest, name: nameOf(name) }, forked_from: { agent_id, version } }
      return unwrap(api.POST('/api/agents', { body }))
    },
    onSettled: forget,
  })
}

/** Delete these agents for good; the requests outlive the page. */
export async function deleteAgents(agents: readonly { id: string; version: number }[]): Promise<void> {
  await Promise.all(
    agents.map(({ id, version }) =>
      unwrap(
        api.DELETE('/api/agents/{agent_id}', {
          params: { path: { agent_id: id } },
          headers: { 'If-Match': `"v${version}"` },
          keepalive: true,
        }),
      ),
    ),
  )
}

export type AgentFile = { name: string; content: Blob }

/** An agent as a file, without secrets. */
export async function exportAgent(agent_id: string): Promise<AgentFile> {
  const ask = { params: { path: { agent_id } }, parseAs: 'stream' as const }
  const answer = await unwrapped(api.GET('/api/agents/{agent_id}/export', ask))
  const named = /filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition') ?? '')
  return { name: named?.[1] ?? 'agent.json', content: await answer.blob() }
}
