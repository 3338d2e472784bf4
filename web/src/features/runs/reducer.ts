import { fields, text } from '@/kit/json'

/** A run's log folded into what is shown. Pure: equal events give an equal view, in any number of pieces. */

export type RunEvent = { id: number; type: string; at: string; [fact: string]: unknown }

/** What a step waits for: `child`, `review`, `timer`, `retry`, or a fact of another kind. */
export type StepWait = { kind: string; due: string | null; review_id: string | null }

export type StepView = {
  step_id: number
  node_id: string
  status: string
  attempt: number
  waiting: StepWait | null
  child_id: string | null
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
  if (event.type.startsWith('step.') || event.type.startsWith('review.')) {
    const id = Number(event.step_id)
    draft.steps[id] = changed(draft.steps[id] ?? blank(id, String(event.node_id)), event)
  } else if (event.type === 'run.output') {
    draft.results.push({ name: String(event.name), value: event.value })
  } else if (event.type === 'run.finished') {
    draft.status = String(event.status)
    draft.ended_at = event.at
    draft.reason = saying(event.reason)
    for (const step of Object.values(draft.steps)) {
      if (step.ended_at === null) draft.steps[step.step_id] = { ...step, ...stopped(event) }
    }
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
        waiting: null,
        attempt: Number(event.attempt),
        started_at: step.started_at ?? event.at,
      }
    case 'step.output':
      return { ...step, outputs: [...step.outputs, { pin: String(event.pin), value: event.value }] }
    case 'step.waiting':
      if (event.over === true) return { ...step, status: 'ready', waiting: null }
      return {
        ...waits(step, text(event.wait) ?? '', event),
        child_id: event.wait === 'child' ? (text(fields(event.ref).run_id) ?? null) : step.child_id,
      }
    case 'review.requested':
      return waits(step, 'review', event)
    case 'review.decided':
      return { ...step, status: 'ready', waiting: null }
    case 'step.retry':
      return { ...waits(step, 'retry', event), error: saying(event.error) }
    case 'step.finished':
      return {
        ...step,
        status: String(event.status),
        waiting: null,
        error: saying(event.error),
        ended_at: event.at,
      }
    default:
      return step
  }
}

/** A run that has ended leaves no step unfinished. */
function stopped(event: RunEvent): Pick<StepView, 'status' | 'waiting' | 'ended_at'> {
  return { status: 'cancelled', waiting: null, ended_at: event.at }
}

function waits(step: StepView, kind: string, event: RunEvent): StepView {
  const waiting = { kind, due: text(event.due) ?? null, review_id: text(event.review_id) ?? null }
  return { ...step, status: 'waiting', waiting }
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
    waiting: null,
    child_id: null,
    outputs: [],
    error: null,
    started_at: null,
    ended_at: null,
  }
}
