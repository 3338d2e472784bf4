import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Schemas } from '@/api/shapes'
import type { RunsView } from './view'
import { waitingReviews } from './waiting'

const all = ['runs'] as const

/** Runs of one agent, or of all, newest first. What goes on changes by itself, so it is looked at again and again. */
export function runsOf({ agent_id, status }: { agent_id?: string } & RunsView) {
  return infiniteQueryOptions({
    queryKey: [...all, 'of', agent_id ?? null, status ?? null],
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET('/api/runs', {
          params: {
            query: {
              ...(agent_id === undefined ? {} : { agent_id }),
              ...(status === undefined ? {} : { status }),
              ...(pageParam === null ? {} : { cursor: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: 5_000,
  })
}

export function runById(run_id: string) {
  return queryOptions({
    queryKey: [...all, run_id],
    queryFn: () => unwrap(api.GET('/api/runs/{run_id}', { params: { path: { run_id } } })),
  })
}

/** Delete these runs for good; the requests outlive the page. */
export async function deleteRuns(ids: readonly string[]): Promise<void> {
  await Promise.all(
    ids.map((run_id) =>
      unwrap(api.DELETE('/api/runs/{run_id}', { params: { path: { run_id } }, keepalive: true })),
    ),
  )
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
    // One answered leaves the others where they are, with what is being written to them.
    placeholderData: keepPreviousData,
  })
}

export function useDecideReviews(run_id: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (decision: Schemas['ReviewAnswerIn']) =>
      unwrap(api.POST('/api/reviews/decide', { body: { decisions: [decision] } })),
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: [...all, run_id, 'reviews'] }),
        cache.invalidateQueries({ queryKey: waitingReviews.queryKey }),
      ]),
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

/** The same version with the same inputs and masks once more. */
export function useRerunRun() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (run_id: string) =>
      unwrap(api.POST('/api/runs/{run_id}/rerun', { params: { path: { run_id } } })),
    onSettled: () => cache.invalidateQueries({ queryKey: [...all, 'of'] }),
  })
}
