import type { NodeChange } from '@xyflow/react'
import { type Graph, nodesOf } from '../document'
import type { Operation } from '../operations'
import type { FlowNode } from './drawing'

type Move = Extract<Operation, { op: 'move_node' }>

/**
 * The blocks that were let go, and where. React Flow says `dragging: false` once at the end of a drag and at each arrow
 * key, and of nothing else: what the document itself moves comes to it as new nodes.
 */
export function movesIn(changes: readonly NodeChange<FlowNode>[], graph: Graph): Move[] {
  const moves = changes.flatMap((change): Move[] => {
    if (change.type !== 'position' || change.dragging !== false || change.position === undefined) return []
    const { x, y } = change.position
    return [{ op: 'move_node', node: change.id, position: [Math.round(x), Math.round(y)] }]
  })
  if (moves.length === 0) return moves
  const known = new Set(nodesOf(graph).map(({ id }) => id)) // one may have been deleted while it was dragged
  return moves.filter(({ node }) => known.has(node))
}

/** Whether a pointer holds blocks: they are shown where it is, and let go later. */
export function isHeld(changes: readonly NodeChange<FlowNode>[]): boolean {
  return changes.some((change) => change.type === 'position' && change.dragging === true)
}

/** Arrow keys that move the same blocks one after the other are one step. */
export function markOf(moves: readonly Move[]): string {
  return `move ${moves.map(({ node }) => node).join(' ')}`
}
