import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Schemas } from '@/api/shapes'
import { toastProblem } from '@/ui/toasts'

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

export function versionsOf(agent_id: string) {
  return infiniteQueryOptions({
    queryKey: [...all, agent_id, 'versions'],
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET('/api/agents/{agent_id}/versions', {
          params: {
            path: { agent_id },
            query: pageParam === null ? { limit: 10 } : { limit: 10, cursor: pageParam },
          },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })
}

/** Versions never change, and neither does what lies between two of them. */
export function diffOf(agent_id: string, from: number, to: number) {
  return queryOptions({
    queryKey: [...all, agent_id, 'diff', from, to],
    queryFn: () =>
      unwrap(api.GET('/api/agents/{agent_id}/diff', { params: { path: { agent_id }, query: { from, to } } })),
    staleTime: Number.POSITIVE_INFINITY,
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

/** Another agent that begins with this graph and remembers where it came from. */
export function useCopyAgent(agent_id: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ graph, version }: { graph: Schemas['AgentIn']['graph']; version: number }) =>
      unwrap(api.POST('/api/agents', { body: { graph, forked_from: { agent_id, version } } })),
    onSettled: () => cache.invalidateQueries({ queryKey: agentList.queryKey }),
  })
}

/** A graph, the version that it was made from, and what the new one is for. */
type Saving = { graph: Schemas['AgentSave']['graph']; version: number; note?: string | undefined }

export function useSaveAgent(agent_id: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ graph, version, note }: Saving) =>
      unwrap(
        api.PUT('/api/agents/{agent_id}', {
          params: { path: { agent_id } },
          headers: { 'If-Match': `"v${version}"` },
          body: { graph, ...(note ? { note } : {}) },
        }),
      ),
    onSuccess: (saved) => {
      cache.setQueryData(agentById(agent_id).queryKey, saved)
      void cache.invalidateQueries({ queryKey: agentList.queryKey })
      void cache.invalidateQueries({ queryKey: versionsOf(agent_id).queryKey })
    },
  })
}

export function useRollbackAgent(agent_id: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (version: number) =>
      unwrap(
        api.POST('/api/agents/{agent_id}/rollback', { params: { path: { agent_id } }, body: { version } }),
      ),
    onSettled: () => cache.invalidateQueries({ queryKey: all }),
  })
}

export function useSetActiveVersion(agent_id: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ version, base }: { version: number; base: number }) =>
      unwrap(
        api.PUT('/api/agents/{agent_id}/active-version', {
          params: { path: { agent_id } },
          headers: { 'If-Match': `"v${base}"` },
          body: { version },
        }),
      ),
    onSettled: () => cache.invalidateQueries({ queryKey: all }),
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

export function agentSettings(agent_id: string) {
  return queryOptions({
    queryKey: [...all, agent_id, 'settings'],
    queryFn: () => unwrap(api.GET('/api/agents/{agent_id}/settings', { params: { path: { agent_id } } })),
  })
}

/** Settled once the settings have been read again, so that what was asked for can be shown until then. */
export function useChangeAgentSettings(agent_id: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: Schemas['AgentSettingsIn']) =>
      unwrap(api.PATCH('/api/agents/{agent_id}/settings', { params: { path: { agent_id } }, body })),
    onError: toastProblem,
    onSettled: () => cache.invalidateQueries({ queryKey: agentSettings(agent_id).queryKey }),
  })
}
