import { fields, text } from '@/kit/json'
import {
  blankStep,
  copyOf,
  costIn,
  endStep,
  type RunEvent,
  type StepDraft,
  type StepView,
  saying,
  takeIntoStep,
} from './step'

/** A run's log folded into what is shown. Pure: equal events give an equal view, in any number of pieces. */

export type { Attempt, RunEvent, StepView, StepWait } from './step'

export type RunView = {
  last: number
  status: string | null
  results: readonly { name: string; value: unknown }[]
  steps: { readonly [step_id: number]: StepView }
  cost_microdollars: number
  started_at: string | null
  ended_at: string | null
  reason: string | null
  /** What stands in for the outside in a dry run; null in others. */
  dry_run: string | null
  /** When another worker took the run up, because the one before was gone. */
  takeovers: readonly string[]
}

export const emptyRun: RunView = {
  last: 0,
  status: null,
  results: [],
  steps: {},
  cost_microdollars: 0,
  started_at: null,
  ended_at: null,
  reason: null,
  dry_run: null,
  takeovers: [],
}

/** A run while events are folded into it: each step is copied when it is first touched, and then changed in place. */
class Draft {
  readonly view: { -readonly [Key in keyof RunView]: RunView[Key] }
  private readonly results: { name: string; value: unknown }[]
  private readonly steps: { [step_id: number]: StepView }
  private readonly own = new Map<number, StepDraft>()

  constructor(before: RunView) {
    this.results = [...before.results]
    this.steps = { ...before.steps }
    this.view = { ...before, results: this.results, steps: this.steps }
  }

  take(event: RunEvent): void {
    this.view.last = event.id
    if (event.type.startsWith('step.') || event.type.startsWith('review.')) {
      takeIntoStep(this.step(Number(event.step_id), String(event.node_id)), event)
      this.view.cost_microdollars += costIn(event)
    } else if (event.type === 'run.output') {
      this.results.push({ name: String(event.name), value: event.value })
    } else if (event.type === 'run.finished') {
      this.finish(event)
    } else if (event.type === 'run.status') {
      const again = event.status === 'running' && this.view.status === 'running'
      if (again) this.view.takeovers = [...this.view.takeovers, event.at]
      this.view.status = String(event.status)
      this.view.dry_run ??= text(event.dry_run)
      this.view.started_at ??= event.status === 'running' ? event.at : null
    }
  }

  private finish(event: RunEvent): void {
    this.view.status = String(event.status)
    this.view.ended_at = event.at
    this.view.reason = saying(event.reason)
    const stats = fields(event.stats)
    if (stats.cost_microdollars !== undefined) this.view.cost_microdollars = costIn(stats)
    for (const step of Object.values(this.steps)) {
      if (step.ended_at === null) endStep(this.step(step.step_id, step.node_id), event)
    }
  }

  private step(id: number, node_id: string): StepDraft {
    const owned = this.own.get(id)
    if (owned !== undefined) return owned
    const before = this.steps[id]
    const made = before === undefined ? blankStep(id, node_id) : copyOf(before)
    this.own.set(id, made)
    this.steps[id] = made
    return made
  }
}

/** An event seen before changes nothing, so a reader that resumes a little early does no harm. */
export function foldRun(view: RunView, events: readonly RunEvent[]): RunView {
  const fresh = events.filter((event) => event.id > view.last)
  if (fresh.length === 0) return view
  const draft = new Draft(view)
  for (const event of fresh) {
    if (event.id > draft.view.last) draft.take(event)
  }
  return draft.view
}
