import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Schemas } from '@/api/shapes'

const all = ['agents'] as const

export const agentList = infiniteQueryOptions({
  queryKey: [...all, 'list'],
  queryFn: ({ pageParam }) =>
    unwrap(api.GET('/api/agents', { params: { query: pageParam === null ? {} : { cursor: pageParam } } })),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
})

export function agentById(agent_id: string, version?: number) {
  return queryOptions({
    queryKey: [...all, agent_id, version ?? 'active'],
    queryFn: () =>
      unwrap(
        api.GET('/api/agents/{agent_id}', {
          params: { path: { agent_id }, query: version === undefined ? {} : { version } },
        }),
      ),
  })
}

/** Names of agents by id, from what has been listed. */
export function agentNames(
  pages: { pages: { items: Schemas['AgentOut'][] }[] } | undefined,
): Map<string, string> {
  return new Map(pages?.pages.flatMap((page) => page.items.map((agent) => [agent.id, agent.name])))
}

export function useCreateAgent() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (graph: Schemas['AgentIn']['graph']) => unwrap(api.POST('/api/agents', { body: { graph } })),
    onSettled: () => cache.invalidateQueries({ queryKey: agentList.queryKey }),
  })
}

export function useSaveAgent(agent_id: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ graph, version }: { graph: Schemas['AgentSave']['graph']; version: number }) =>
      unwrap(
        api.PUT('/api/agents/{agent_id}', {
          params: { path: { agent_id } },
          headers: { 'If-Match': `"v${version}"` },
          body: { graph },
        }),
      ),
    onSuccess: (saved) => {
      cache.setQueryData(agentById(agent_id).queryKey, saved)
      void cache.invalidateQueries({ queryKey: agentList.queryKey })
    },
  })
}

export function useDeleteAgent() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ agent_id, version }: { agent_id: string; version: number }) =>
      unwrap(
        api.DELETE('/api/agents/{agent_id}', {
          params: { path: { agent_id } },
          headers: { 'If-Match': `"v${version}"` },
        }),
      ),
    onSettled: () => cache.invalidateQueries({ queryKey: agentList.queryKey }),
  })
}
