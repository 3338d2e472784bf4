/** A run's log folded into what the page shows. Pure: equal events give an equal view, in any number of pieces. */

export type RunEvent = { id: number; type: string; at: string; [fact: string]: unknown }

export type StepView = {
  step_id: number
  node_id: string
  status: string
  attempt: number
  outputs: { pin: string; value: unknown }[]
  error: string | null
}

export type LogView = {
  last: number
  status: string | null
  results: { name: string; value: unknown }[]
  steps: Record<number, StepView>
  started_at: string | null
  ended_at: string | null
  reason: string | null
}

export const emptyLog: LogView = {
  last: 0,
  status: null,
  results: [],
  steps: {},
  started_at: null,
  ended_at: null,
  reason: null,
}

/** An event seen before changes nothing, so a reader that resumes a little early does no harm. */
export function fold(log: LogView, event: RunEvent): LogView {
  if (event.id <= log.last) return log
  const next = { ...log, last: event.id }
  if (event.type.startsWith('step.')) return foldStep(next, event)
  if (event.type === 'run.output') {
    return { ...next, results: [...log.results, { name: String(event.name), value: event.value }] }
  }
  if (event.type === 'run.finished') {
    return { ...next, status: String(event.status), ended_at: event.at, reason: saying(event.reason) }
  }
  if (event.type === 'run.status') {
    const started_at = log.started_at ?? (event.status === 'running' ? event.at : null)
    return { ...next, status: String(event.status), started_at }
  }
  return next
}

function foldStep(log: LogView, event: RunEvent): LogView {
  const id = Number(event.step_id)
  const step = log.steps[id] ?? blank(id, String(event.node_id))
  return { ...log, steps: { ...log.steps, [id]: changed(step, event) } }
}

function changed(step: StepView, event: RunEvent): StepView {
  switch (event.type) {
    case 'step.started':
      return { ...step, status: 'running', attempt: Number(event.attempt) }
    case 'step.output':
      return { ...step, outputs: [...step.outputs, { pin: String(event.pin), value: event.value }] }
    case 'step.waiting':
      return { ...step, status: event.over === true ? 'ready' : 'waiting' }
    case 'step.retry':
      return { ...step, status: 'waiting', error: saying(event.error) }
    case 'step.finished':
      return { ...step, status: String(event.status), error: saying(event.error) }
    default:
      return step
  }
}

function saying(error: unknown): string | null {
  if (error === null || error === undefined) return null
  if (typeof error === 'string') return error
  const message = (error as { message?: unknown }).message
  return typeof message === 'string' ? message : JSON.stringify(error)
}

function blank(step_id: number, node_id: string): StepView {
  return { step_id, node_id, status: 'ready', attempt: 1, outputs: [], error: null }
}
