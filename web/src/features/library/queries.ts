import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Schemas } from '@/api/shapes'
import type { LibraryView } from './view'

export type Entry = Schemas['EntryOut']

/** The key of every list of the library, whatever it shows. */
export const allLists = ['agents', 'library'] as const

/** One's agents as `view` asks for them. How they fare changes by itself, so it is looked at again and again. */
export function libraryList(view: LibraryView) {
  return infiniteQueryOptions({
    queryKey: [...allLists, view],
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
