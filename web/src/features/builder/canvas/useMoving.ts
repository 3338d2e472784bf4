import type { NodeChange, OnNodesChange } from '@xyflow/react'
import { useRef } from 'react'
import { useStable } from '@/kit/useStable'
import type { Editor } from '../useEditor'
import type { FlowNode } from './drawing'
import { isHeld, markOf, movesIn } from './moving'

/** Shows what React Flow changes, and moves blocks in the document when a pointer or a key lets go of them. */
export function useMoving({ graph, apply }: Editor, show: OnNodesChange<FlowNode>): OnNodesChange<FlowNode> {
  const isDrag = useRef(false)
  return useStable((changes: NodeChange<FlowNode>[]) => {
    show(changes)
    if (isHeld(changes)) isDrag.current = true
    const moves = movesIn(changes, graph)
    if (moves.length === 0) return
    apply(moves, isDrag.current ? null : markOf(moves))
    isDrag.current = false
  })
}
