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
