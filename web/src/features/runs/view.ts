import type { Schemas } from '@/api/shapes'

export type RunStatus = Schemas['RunOut']['status']

export const RUN_STATUSES: readonly RunStatus[] = [
  'queued',
  'running',
  'waiting',
  'completed',
  'completed_with_errors',
  'failed',
  'cancelled',
]

/** Which runs are looked at; the address holds it. */
export type RunsView = { status?: RunStatus }

export function runsView(search: Record<string, unknown>): RunsView {
  const status = RUN_STATUSES.find((one) => one === search.status)
  return status ? { status } : {}
}
