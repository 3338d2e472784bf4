import { sizeOf } from './canvas/geometry'
import { type Graph, linksOf, nodesOf, placeOf } from './document'
import type { Faces } from './faces'
import { arranged, type Boxes } from './layout'
import { applied } from './operations'
import { drawnPins } from './pins'

/** The graph's blocks as boxes. Notes stay where somebody put them. */
export function boxesOf(graph: Graph, faces: Faces): Boxes {
  const boxes = nodesOf(graph).flatMap((node) => {
    const face = faces(node)
    if (face?.kind === 'note') return []
    return [{ id: node.id, ...sizeOf(node, face, drawnPins(graph, node, face)) }]
  })
  return { boxes, links: linksOf(graph).map(({ from, to }) => ({ from, to })) }
}

/** A graph that nobody has placed yet, with places. */
export function placed(graph: Graph, faces: Faces): Graph {
  const isPlaced = nodesOf(graph).some((node) => placeOf(node).some((part) => part !== 0))
  if (isPlaced || nodesOf(graph).length < 2) return graph
  const places = [...arranged(boxesOf(graph, faces))]
  return applied(
    graph,
    places.map(([node, position]) => ({ op: 'move_node', node, position })),
  )
}
