import { fields, text } from '@/kit/json'

/** A run's log folded into what is shown. Pure: equal events give an equal view, in any number of pieces. */

export type RunEvent = { id: number; type: string; at: string; [fact: string]: unknown }

export type StepView = {
  step_id: number
  node_id: string
  status: string
  attempt: number
  outputs: readonly { pin: string; value: unknown }[]
  error: string | null
  started_at: string | null
  ended_at: string | null
}

export type RunView = {
  last: number
  status: string | null
  results: readonly { name: string; value: unknown }[]
  steps: { readonly [step_id: number]: StepView }
  started_at: string | null
  ended_at: string | null
  reason: string | null
}

export const emptyRun: RunView = {
  last: 0,
  status: null,
  results: [],
  steps: {},
  started_at: null,
  ended_at: null,
  reason: null,
}

type Draft = { -readonly [Key in keyof RunView]: RunView[Key] } & {
  results: { name: string; value: unknown }[]
  steps: { [step_id: number]: StepView }
}

/** An event seen before changes nothing, so a reader that resumes a little early does no harm. */
export function foldRun(view: RunView, events: readonly RunEvent[]): RunView {
  const fresh = events.filter((event) => event.id > view.last)
  if (fresh.length === 0) return view
  const draft: Draft = { ...view, results: [...view.results], steps: { ...view.steps } }
  for (const event of fresh) {
    if (event.id <= draft.last) continue
    draft.last = event.id
    take(draft, event)
  }
  return draft
}

function take(draft: Draft, event: RunEvent): void {
  if (event.type.startsWith('step.')) {
    const id = Number(event.step_id)
    draft.steps[id] = changed(draft.steps[id] ?? blank(id, String(event.node_id)), event)
  } else if (event.type === 'run.output') {
    draft.results.push({ name: String(event.name), value: event.value })
  } else if (event.type === 'run.finished') {
    draft.status = String(event.status)
    draft.ended_at = event.at
    draft.reason = saying(event.reason)
  } else if (event.type === 'run.status') {
    draft.status = String(event.status)
    draft.started_at ??= event.status === 'running' ? event.at : null
  }
}

function changed(step: StepView, event: RunEvent): StepView {
  switch (event.type) {
    case 'step.started':
      return {
        ...step,
        status: 'running',
        attempt: Number(event.attempt),
        started_at: step.started_at ?? event.at,
      }
    case 'step.output':
      return { ...step, outputs: [...step.outputs, { pin: String(event.pin), value: event.value }] }
    case 'step.waiting':
      return { ...step, status: event.over === true ? 'ready' : 'waiting' }
    case 'step.retry':
      return { ...step, status: 'waiting', error: saying(event.error) }
    case 'step.finished':
      return { ...step, status: String(event.status), error: saying(event.error), ended_at: event.at }
    default:
      return step
  }
}

function saying(error: unknown): string | null {
  if (error === null || error === undefined) return null
  if (typeof error === 'string') return error
  return text(fields(error).message) ?? JSON.stringify(error)
}

function blank(step_id: number, node_id: string): StepView {
  return {
    step_id,
    node_id,
    status: 'ready',
    attempt: 1,
    outputs: [],
    error: null,
    started_at: null,
    ended_at: null,
  }
}
