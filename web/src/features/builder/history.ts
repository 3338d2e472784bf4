import { between } from './between'
import { type Graph, nodesOf, sameNode } from './document'
import { applied, type Operation, OperationRefused } from './operations'

/** One step: what was done, and what takes it back. `mark` names a step that is still being made. */
export type Step = { done: readonly Operation[]; back: readonly Operation[]; mark: string | null }
export type History = { present: Graph; past: readonly Step[]; future: readonly Step[] }

const DEPTH = 500

export function begin(present: Graph): History {
  return { present, past: [], future: [] }
}

/**
 * Do operations as one step. Steps of one mark in a row, such as the letters typed into one field, are one step.
 * Throws `OperationRefused`; then nothing has happened.
 */
export function step(
  history: History,
  operations: readonly Operation[],
  mark: string | null = null,
): History {
  const present = applied(history.present, operations)
  const last = history.past.at(-1)
  if (mark !== null && last?.mark === mark) return joined(history, last, present)
  const back = between(present, history.present)
  if (back.length === 0) return history
  return { present, past: [...history.past, { done: operations, back, mark }].slice(-DEPTH), future: [] }
}

function joined(history: History, last: Step, present: Graph): History {
  const before = applied(history.present, last.back)
  const done = between(before, present)
  const past = history.past.slice(0, -1)
  if (done.length === 0) return { present, past, future: [] }
  return { present, past: [...past, { done, back: between(present, before), mark: last.mark }], future: [] }
}

export function undo(history: History): History {
  const last = history.past.at(-1)
  if (last === undefined) return history
  const taken = { ...last, mark: null }
  const present = applied(history.present, last.back)
  return { present, past: history.past.slice(0, -1), future: [taken, ...history.future] }
}

export function redo(history: History): History {
  const [next, ...future] = history.future
  if (next === undefined) return history
  return { present: applied(history.present, next.done), past: [...history.past, next], future }
}

/**
 * The server stored what was `sent`, as `graph`. What was done since then stays on top of it, and so do the steps that
 * led here; unchanged nodes stay the objects that they were.
 */
export function settled(history: History, graph: Graph, sent: Graph): History {
  const now = onTop(graph, sent, history.present)
  const known = new Map(nodesOf(history.present).map((node) => [node.id, node]))
  const nodes = nodesOf(now).map((node) => {
    const old = known.get(node.id)
    return old !== undefined && sameNode(old, node) ? old : node
  })
  return { ...history, present: { ...now, nodes } }
}

/** What does not fit what the server made of it is kept as it is: it is not saved, and nothing of it is lost. */
function onTop(graph: Graph, sent: Graph, present: Graph): Graph {
  try {
    return applied(graph, between(sent, present))
  } catch (problem) {
    if (!(problem instanceof OperationRefused)) throw problem
    return present
  }
}
