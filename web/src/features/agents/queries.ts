import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'

const all = ['agents'] as const

export const agentList = infiniteQueryOptions({
  queryKey: [...all, 'list'],
  queryFn: ({ pageParam }) =>
    unwrap(api.GET('/api/agents', { params: { query: pageParam === null ? {} : { cursor: pageParam } } })),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
})

export function agentById(agent_id: string) {
  return queryOptions({
    queryKey: [...all, agent_id],
    queryFn: () => unwrap(api.GET('/api/agents/{agent_id}', { params: { path: { agent_id } } })),
  })
}
