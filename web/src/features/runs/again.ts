import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Schemas } from '@/api/shapes'
import { runById } from './queries'

export type ForkPlan = Schemas['ForkPlan']

/** What going on from a step would take over, do again, and repeat outside. Nothing is started. */
export function forkPlan(run_id: string, step: number) {
  return queryOptions({
    queryKey: ['runs', run_id, 'fork', step],
    queryFn: async () =>
      (await unwrap(
        api.POST('/api/runs/{run_id}/fork', {
          params: { path: { run_id } },
          body: { step, plan_only: true, confirm: false },
        }),
      )) as unknown as ForkPlan,
  })
}

type Ask = { step: number; inputs: Record<string, unknown> | null; confirm: boolean }

export function useForkRun(run_id: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: async ({ step, inputs, confirm }: Ask) =>
      (await unwrap(
        api.POST('/api/runs/{run_id}/fork', {
          params: { path: { run_id } },
          body: { step, confirm, plan_only: false, ...(inputs === null ? {} : { inputs }) },
        }),
      )) as Schemas['RunOut'],
    onSuccess: (run) => cache.setQueryData(runById(run.id).queryKey, run),
    onSettled: () => cache.invalidateQueries({ queryKey: ['runs', 'list'] }),
  })
}

/** Two runs side by side, as the server tells them; they have ended, so that it stays as it is. */
export function comparisonOf(a: string, b: string) {
  return queryOptions({
    queryKey: ['runs', 'compared', a, b],
    queryFn: () => unwrap(api.GET('/api/runs/compare', { params: { query: { a, b } } })),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** A run lived once more from its records: what only computes runs, all else answers what it answered. */
export function useReplayRun() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (run_id: string) =>
      unwrap(api.POST('/api/runs/{run_id}/replay', { params: { path: { run_id } } })),
    onSuccess: (run) => cache.setQueryData(runById(run.id).queryKey, run),
    onSettled: () => cache.invalidateQueries({ queryKey: ['runs', 'of'] }),
  })
}
