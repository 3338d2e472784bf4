import type { Edge } from '@xyflow/react'
import type { FlowNode } from './drawing'

export function chosen(node: FlowNode, is: boolean): FlowNode {
  return (node.selected ?? false) === is ? node : { ...node, selected: is }
}

/** Exactly these are chosen; a node for which nothing changes stays the same object. */
export function choosing(nodes: readonly FlowNode[], ids: ReadonlySet<string>): FlowNode[] {
  return nodes.map((node) => chosen(node, ids.has(node.id)))
}

/** What the document says, with what was chosen kept; a node that says the same stays the same object. */
export function withSelection(before: readonly FlowNode[], drawn: readonly FlowNode[]): FlowNode[] {
  const known = new Map(before.map((node) => [node.id, node]))
  return drawn.map((node) => {
    const old = known.get(node.id)
    if (old === undefined || !old.selected)
      return old?.data === node.data && samePlace(old, node) ? old : node
    return old.data === node.data && samePlace(old, node) ? old : { ...node, selected: true }
  })
}

function samePlace(a: FlowNode, b: FlowNode): boolean {
  return a.position.x === b.position.x && a.position.y === b.position.y
}

export function edgesWithSelection(before: readonly Edge[], drawn: readonly Edge[]): Edge[] {
  const chosenBefore = new Set(before.filter((edge) => edge.selected).map((edge) => edge.id))
  return chosenBefore.size === 0
    ? [...drawn]
    : drawn.map((edge) => (chosenBefore.has(edge.id) ? { ...edge, selected: true } : edge))
}
