import type { Edge } from '@xyflow/react'
import type { FlowNode } from './BlockNode'
import { type Graph, linkKey, linksOf, nodesOf } from './document'
import { type Block, drawnPins } from './pins'

/** The graph as the canvas draws it. */
export function flowNodes(graph: Graph, blocks: ReadonlyMap<string, Block>): FlowNode[] {
  return nodesOf(graph).map((node) => {
    const block = blocks.get(node.block)
    const [x = 0, y = 0] = node.position ?? []
    return {
      id: node.id,
      type: 'block',
      position: { x, y },
      ariaLabel: node.name || block?.name || node.id,
      data: {
        title: node.name || block?.name || node.id,
        kind: block?.kind ?? 'unknown',
        pins: drawnPins(graph, node, block),
        inputs: node.inputs ?? {},
        linked: new Set(
          linksOf(graph)
            .filter((link) => link.to === node.id)
            .map((link) => link.in),
        ),
      },
    }
  })
}

export function flowEdges(graph: Graph): Edge[] {
  return linksOf(graph).map((link) => ({
    id: linkKey(link),
    source: link.from,
    sourceHandle: link.out,
    target: link.to,
    targetHandle: link.in,
    ariaLabel: `${link.from} ${link.out} to ${link.to} ${link.in}`,
  }))
}
