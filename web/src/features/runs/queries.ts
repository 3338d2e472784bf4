import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Schemas } from '@/api/shapes'

const all = ['runs'] as const

export const runList = infiniteQueryOptions({
  queryKey: [...all, 'list'],
  queryFn: ({ pageParam }) =>
    unwrap(api.GET('/api/runs', { params: { query: pageParam === null ? {} : { cursor: pageParam } } })),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
  refetchInterval: 5_000,
})

export function runsOf(agent_id: string) {
  return queryOptions({
    queryKey: [...all, 'of', agent_id],
    queryFn: () =>
      unwrap(
        api.GET('/api/agents/{agent_id}/runs', { params: { path: { agent_id }, query: { limit: 10 } } }),
      ),
    refetchInterval: 5_000,
  })
}

export function runById(run_id: string) {
  return queryOptions({
    queryKey: [...all, run_id],
    queryFn: () => unwrap(api.GET('/api/runs/{run_id}', { params: { path: { run_id } } })),
  })
}

/**
 * What a run, and the runs below it, ask people now. `asked` changes whenever the run asks something else. What agents
 * inside ask is not in its log, so while there are any it is looked for every few seconds.
 */
export function reviewsOf(run_id: string, asked: string, inside: boolean) {
  const params = { path: { run_id }, query: { state: 'waiting' as const } }
  return queryOptions({
    queryKey: [...all, run_id, 'reviews', asked],
    queryFn: () => unwrap(api.GET('/api/runs/{run_id}/reviews', { params })),
    enabled: asked !== '' || inside,
    refetchInterval: inside ? 3_000 : false,
  })
}

export function useDecideReviews(run_id: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (decision: Schemas['ReviewAnswerIn']) =>
      unwrap(api.POST('/api/reviews/decide', { body: { decisions: [decision] } })),
    onSettled: () => cache.invalidateQueries({ queryKey: [...all, run_id, 'reviews'] }),
  })
}

export function useStartRun(agent_id: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: Schemas['RunIn']) =>
      unwrap(api.POST('/api/agents/{agent_id}/runs', { params: { path: { agent_id } }, body })),
    // Whoever turns to the run at once finds it.
    onSuccess: (run) => cache.setQueryData(runById(run.id).queryKey, run),
    onSettled: () => cache.invalidateQueries({ queryKey: all }),
  })
}

export function useCancelRun(run_id: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/runs/{run_id}/cancel', { params: { path: { run_id } } })),
    onSettled: () => cache.invalidateQueries({ queryKey: runById(run_id).queryKey }),
  })
}
