import { type Edge, useStore } from '@xyflow/react'
import { useState } from 'react'
import { FAR } from './BlockNode'
import type { FlowNode } from './drawing'

const MANY = 120
const NO_NODES: FlowNode[] = []
const NO_EDGES: Edge[] = []

/**
 * What of the graph is made of elements. Many blocks from far away are one painted picture; from near, only what is in
 * the frame. Until the first fit nobody knows how far away they will be, and none is made for a guess.
 */
export function useSeen(nodes: FlowNode[], edges: Edge[]) {
  const far = useStore((state) => state.transform[2] < FAR)
  const [isPlaced, setPlaced] = useState(false)
  const isMany = nodes.length > MANY
  const isPainted = isMany && (far || !isPlaced)
  return {
    nodes: isPainted ? NO_NODES : nodes,
    edges: isPainted ? NO_EDGES : edges,
    isMany,
    isPainted,
    placed: () => setPlaced(true),
  }
}
