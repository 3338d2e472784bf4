import { useMemo, useState, useSyncExternalStore } from 'react'
import { toast } from '@/ui/toasts'
import { between } from './between'
import { canonical, type Graph, sameGraph } from './document'
import { begin, type History, redo, settled, step, undo } from './history'
import { type Operation, OperationRefused } from './operations'

export type Editor = ReturnType<typeof useEditor>

/** A graph under the hand: every edit is a list of the server's operations and one step that can be taken back. */
export function useEditor(saved: Graph) {
  const [store] = useState(() => new EditorStore(canonical(saved)))
  const { history, base } = useSyncExternalStore(store.watch, store.read)
  const graph = history.present
  const isDirty = useMemo(() => !sameGraph(graph, base), [graph, base])
  return {
    graph,
    apply: store.apply,
    /** Go on to another graph, whatever it changes, as one step. */
    change: store.change,
    settle: store.settle,
    undo: store.undo,
    redo: store.redo,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    isDirty,
  }
}

type Held = { history: History; base: Graph }

class EditorStore {
  private held: Held
  private readonly watchers = new Set<() => void>()

  constructor(graph: Graph) {
    this.held = { history: begin(graph), base: graph }
  }

  readonly read = () => this.held

  readonly watch = (changed: () => void) => {
    this.watchers.add(changed)
    return () => void this.watchers.delete(changed)
  }

  readonly apply = (operations: readonly Operation[], mark: string | null = null) =>
    this.become((now) => step(now, operations, mark))

  readonly change = (edit: (graph: Graph) => Graph, mark: string | null = null) =>
    this.become((now) => step(now, between(now.present, canonical(edit(now.present))), mark))

  readonly undo = () => this.become(undo)
  readonly redo = () => this.become(redo)

  /** What was `sent` is stored, as this graph; edits that came in between are kept, and are yet to be saved. */
  readonly settle = (graph: Graph, sent: Graph) => {
    const base = canonical(graph)
    this.held = { ...this.held, base }
    this.become((now) => settled(now, base, sent))
  }

  /** Whether it was done. What cannot be done is said, and nothing has changed. */
  private become(move: (history: History) => History): boolean {
    let isDone = true
    try {
      this.held = { ...this.held, history: move(this.held.history) }
    } catch (problem) {
      if (!(problem instanceof OperationRefused)) throw problem
      toast(problem.message, { tone: 'bad' })
      isDone = false
    }
    for (const watcher of this.watchers) watcher()
    return isDone
  }
}
