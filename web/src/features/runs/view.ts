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

/** How the steps of a run are looked at, and which of them. */
export type StepsView = { view?: 'list'; step?: number; with?: string }

export function stepsView(search: Record<string, unknown>): StepsView {
  const { step, with: other } = search
  return {
    ...(search.view === 'list' ? { view: 'list' as const } : {}),
    ...(typeof step === 'number' && Number.isInteger(step) && step > 0 ? { step } : {}),
    ...(typeof other === 'string' ? { with: other } : {}),
  }
}
