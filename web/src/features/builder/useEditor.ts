import { useCallback, useMemo, useState } from 'react'
import { type Graph, sameGraph } from './document'
import { begin, redo, step, undo } from './history'

export type Editor = ReturnType<typeof useEditor>

/** A graph under the hand: every change is a step that can be taken back. */
export function useEditor(saved: Graph) {
  const [base, setBase] = useState(saved)
  const [history, setHistory] = useState(() => begin(saved))
  const change = useCallback((edit: (graph: Graph) => Graph, mark: string | null = null) => {
    setHistory((now) => step(now, edit(now.present), mark))
  }, [])
  const undoStep = useCallback(() => setHistory(undo), [])
  const redoStep = useCallback(() => setHistory(redo), [])
  /** The server has this now; the steps that led here stay. */
  const settle = useCallback((graph: Graph) => {
    setBase(graph)
    setHistory((now) => ({ ...now, present: graph }))
  }, [])
  const graph = history.present
  return {
    graph,
    change,
    settle,
    undo: undoStep,
    redo: redoStep,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    isDirty: useMemo(() => !sameGraph(graph, base), [graph, base]),
  }
}
