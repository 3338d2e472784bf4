import { type Fields, fields, number, text } from '@/kit/json'

export type RunEvent = { id: number; type: string; at: string; [fact: string]: unknown }

/** What a step waits for: `child`, `review`, `timer`, `retry`, or a fact of another kind. */
export type StepWait = { kind: string; due: string | null; review_id: string | null }

/** One try at a step. `ended_at` is null while it goes on. */
export type Attempt = {
  attempt: number
  started_at: string
  ended_at: string | null
  error: string | null
}

/** Something that happened to a step, in the words of the log. */
export type Moment = { at: string; type: string; said: string | null }

export type StepView = {
  step_id: number
  node_id: string
  status: string
  /** Its results were taken over from another run: it was not executed. */
  recorded: boolean
  attempt: number
  attempts: readonly Attempt[]
  waiting: StepWait | null
  child_id: string | null
  inputs: Fields | null
  outputs: readonly { pin: string; value: unknown }[]
  error: string | null
  cost_microdollars: number
  log: readonly Moment[]
  started_at: string | null
  ended_at: string | null
}

/** A step while events are folded into it. It belongs to the fold, so it may be changed in place. */
export type StepDraft = {
  -readonly [Key in keyof StepView]: StepView[Key] extends readonly (infer Item)[] ? Item[] : StepView[Key]
}

export function blankStep(step_id: number, node_id: string): StepDraft {
  return {
    step_id,
    node_id,
    status: 'ready',
    recorded: false,
    attempt: 1,
    attempts: [],
    waiting: null,
    child_id: null,
    inputs: null,
    outputs: [],
    error: null,
    cost_microdollars: 0,
    log: [],
    started_at: null,
    ended_at: null,
  }
}

export function copyOf(step: StepView): StepDraft {
  return { ...step, attempts: [...step.attempts], outputs: [...step.outputs], log: [...step.log] }
}

export function takeIntoStep(step: StepDraft, event: RunEvent): void {
  if (event.recorded !== undefined && event.recorded !== null) step.recorded = true
  step.log.push({ at: event.at, type: event.type, said: said(event) })
  const take = TAKES[event.type]
  if (take !== undefined) take(step, event)
}

/** A run that has ended leaves no step unfinished. */
export function endStep(step: StepDraft, event: RunEvent): void {
  step.status = 'cancelled'
  step.waiting = null
  step.ended_at = event.at
  closeAttempt(step, event.at, null)
}

const TAKES: Readonly<Record<string, (step: StepDraft, event: RunEvent) => void>> = {
  'step.started': started,
  'step.output': (step, event) => step.outputs.push({ pin: String(event.pin), value: event.value }),
  'step.waiting': waiting,
  'review.requested': (step, event) => wait(step, 'review', event),
  'review.decided': (step) => ready(step),
  'step.retry': retried,
  'step.finished': finished,
}

function started(step: StepDraft, event: RunEvent): void {
  step.status = 'running'
  step.waiting = null
  step.attempt = Number(event.attempt)
  step.started_at ??= event.at
  if (event.inputs !== undefined) step.inputs = fields(event.inputs)
  const going = step.attempts.at(-1)
  if (going?.attempt === step.attempt && going.ended_at === null) return
  step.attempts.push({ attempt: step.attempt, started_at: event.at, ended_at: null, error: null })
}

function waiting(step: StepDraft, event: RunEvent): void {
  if (event.over === true) {
    ready(step)
    return
  }
  wait(step, text(event.wait) ?? '', event)
  if (event.wait === 'child') step.child_id = text(fields(event.ref).run_id) ?? null
}

function retried(step: StepDraft, event: RunEvent): void {
  wait(step, 'retry', event)
  step.error = saying(event.error)
  step.cost_microdollars += costIn(event)
  closeAttempt(step, event.at, step.error)
}

function finished(step: StepDraft, event: RunEvent): void {
  step.status = String(event.status)
  step.waiting = null
  step.error = saying(event.error)
  step.cost_microdollars += costIn(event)
  step.ended_at = event.at
  closeAttempt(step, event.at, step.error)
}

function ready(step: StepDraft): void {
  step.status = 'ready'
  step.waiting = null
}

function wait(step: StepDraft, kind: string, event: RunEvent): void {
  step.status = 'waiting'
  step.waiting = { kind, due: text(event.due) ?? null, review_id: text(event.review_id) ?? null }
}

function closeAttempt(step: StepDraft, at: string, error: string | null): void {
  const last = step.attempts.at(-1)
  if (last !== undefined && last.ended_at === null)
    step.attempts[step.attempts.length - 1] = { ...last, ended_at: at, error }
}

/** What an event says was spent, over all providers. */
export function costIn(event: Fields): number {
  return Object.values(fields(event.cost_microdollars)).reduce<number>(
    (sum, cost) => sum + (number(cost) ?? 0),
    0,
  )
}

export function saying(error: unknown): string | null {
  if (error === null || error === undefined) return null
  if (typeof error === 'string') return error
  return text(fields(error).message) ?? JSON.stringify(error)
}

function said(event: RunEvent): string | null {
  return (
    saying(event.error) ??
    text(event.status) ??
    text(event.pin) ??
    text(event.wait) ??
    text(event.message) ??
    null
  )
}
