import type { RunView, StepView } from '@/features/runs/reducer'

export type Output = { pin: string; value: unknown }

/** What a run has done with one node so far. */
export type NodeView = {
  status: string
  /** How many steps it had. */
  count: number
  outputs: readonly Output[]
}

/** A node that the run has not reached. */
export const OPEN: NodeView = { status: 'open', count: 0, outputs: [] }

const GOING = ['running', 'waiting', 'ready'] as const

/** All steps of one node as one view: what goes on counts first, else how the last one ended. */
export function nodeOf(steps: readonly StepView[]): NodeView {
  const going = GOING.find((status) => steps.some((step) => step.status === status))
  const last = steps.at(-1)
  return {
    status: going ?? (last?.recorded ? 'recorded' : (last?.status ?? OPEN.status)),
    count: steps.length,
    outputs: steps.flatMap((step) => step.outputs),
  }
}

/** The nodes of a run, each with its own listeners: what happens to one is drawn by that one alone. */
export class LiveNodes {
  private seen: RunView['steps'] | null = null
  private readonly steps = new Map<string, Map<number, StepView>>()
  private readonly views = new Map<string, NodeView>()
  private readonly lookers = new Map<string, Set<() => void>>()
  private readonly watchers = new Set<(touched: Iterable<string> | 'all') => void>()

  /** What a node shows; null when no run is looked at. */
  read(node_id: string): NodeView | null {
    return this.seen === null ? null : (this.views.get(node_id) ?? OPEN)
  }

  look(node_id: string, changed: () => void): () => void {
    const known = this.lookers.get(node_id) ?? new Set()
    this.lookers.set(node_id, known.add(changed))
    return () => known.delete(changed)
  }

  /** Hear of any change at all, and which nodes it touched: for what shows all nodes in one picture. */
  lookAll(changed: (touched: Iterable<string> | 'all') => void): () => void {
    this.watchers.add(changed)
    return () => this.watchers.delete(changed)
  }

  /** Show another state of the run, or none. Steps that are the same objects as before cost nothing. */
  show(steps: RunView['steps'] | null): void {
    const begins = (this.seen === null) !== (steps === null)
    const touched = steps === null ? this.forget() : this.take(steps)
    this.seen = steps
    for (const node_id of begins ? this.lookers.keys() : touched)
      for (const changed of this.lookers.get(node_id) ?? []) changed()
    for (const changed of this.watchers) changed(begins ? 'all' : touched)
  }

  private take(steps: RunView['steps']): Set<string> {
    const touched = new Set<string>()
    if (this.seen !== null && isOtherRun(this.seen, steps)) for (const id of this.forget()) touched.add(id)
    for (const step of Object.values(steps)) {
      const known = this.steps.get(step.node_id) ?? new Map<number, StepView>()
      if (known.get(step.step_id) === step) continue
      this.steps.set(step.node_id, known.set(step.step_id, step))
      touched.add(step.node_id)
    }
    for (const id of touched) {
      const known = this.steps.get(id)
      if (known === undefined) this.views.delete(id)
      else this.views.set(id, nodeOf([...known.values()].toSorted((a, b) => a.step_id - b.step_id)))
    }
    return touched
  }

  private forget(): Set<string> {
    const had = new Set(this.steps.keys())
    this.steps.clear()
    this.views.clear()
    return had
  }
}

/** Steps of one run never go away; when some did, another run is looked at. */
function isOtherRun(before: RunView['steps'], now: RunView['steps']): boolean {
  return Object.keys(before).some((id) => !Object.hasOwn(now, id))
}
