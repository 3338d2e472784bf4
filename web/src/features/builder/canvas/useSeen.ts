import { type Edge, useStore } from '@xyflow/react'
import { useMemo, useState } from 'react'
import { type Link, linkKey } from '../document'
import { FAR } from './BlockNode'
import type { FlowNode } from './drawing'
import { useNear } from './useNear'

const MANY = 120
const FAR_ENDS = 24 // links of one block that lead out of sight and are elements all the same, so that they can be chosen

/**
 * What of the graph is made of elements. Many blocks from far away are one painted picture; from near, only those in
 * the frame are elements. Until the first fit nobody knows how far away they will be, and none is made for a guess.
 */
export function useSeen(nodes: FlowNode[], edges: Edge[]) {
  const far = useStore((state) => state.transform[2] < FAR)
  const [isPlaced, setPlaced] = useState(false)
  const isMany = nodes.length > MANY
  const isPainted = isMany && (far || !isPlaced)
  const near = useNear(nodes, isMany && !isPainted)
  const seen = useMemo(
    () => (isMany ? madeOf(nodes, edges, isPainted ? null : near) : { nodes, edges }),
    [nodes, edges, isMany, isPainted, near],
  )
  const shown = useMemo(() => shownOf(seen), [seen])
  return { ...seen, shown, isMany, placed: () => setPlaced(true) }
}

type Made = { nodes: FlowNode[]; edges: Edge[] }

const NOTHING: Made = { nodes: [], edges: [] }

function madeOf(nodes: FlowNode[], edges: Edge[], near: ReadonlySet<string> | null): Made {
  if (near === null) return NOTHING
  const made = new Set(nodes.filter((node) => near.has(node.id) || node.selected).map(({ id }) => id))
  const leading = new Map<string, number>()
  const ends = new Set<string>()
  const shown = edges.filter(({ source, target }) => {
    const [here, there] = made.has(source) ? [source, target] : [target, source]
    if (!made.has(here)) return false
    if (made.has(there)) return true
    const count = (leading.get(here) ?? 0) + 1
    leading.set(here, count)
    if (count <= FAR_ENDS) ends.add(there)
    return count <= FAR_ENDS
  })
  return {
    nodes: nodes.flatMap((node) => (made.has(node.id) ? [node] : ends.has(node.id) ? [unseen(node)] : [])),
    edges: shown,
  }
}

const hidden = new WeakMap<FlowNode, FlowNode>()

/** Where a link ends that leads out of sight: React Flow knows the place and makes no element. */
function unseen(node: FlowNode): FlowNode {
  const known = hidden.get(node) ?? { ...node, hidden: true }
  hidden.set(node, known)
  return known
}

function shownOf({ nodes, edges }: Made) {
  const links = new Set(edges.map(({ id }) => id))
  return {
    nodes: new Set(nodes.filter((node) => !node.hidden).map(({ id }) => id)),
    isLinkShown: (link: Link) => links.has(linkKey(link)),
  }
}
