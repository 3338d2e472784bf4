import { type Graph, linksOf, moveNodes, nodesOf } from './document'

const COLUMN = 300
const GAP = 32

/** Nodes without a place get one: left to right in the order of the data, one column per step. */
export function laidOut(graph: Graph, heightOf: (id: string) => number): Graph {
  const nodes = nodesOf(graph)
  if (nodes.length === 0 || nodes.some((node) => node.position?.some((part) => part !== 0))) return graph
  const columns = columnsOf(graph)
  const tops = new Map<number, number>()
  const places = new Map<string, readonly [number, number]>()
  for (const node of nodes) {
    const column = columns.get(node.id) ?? 0
    const top = tops.get(column) ?? 0
    places.set(node.id, [column * COLUMN, top])
    tops.set(column, top + heightOf(node.id) + GAP)
  }
  return moveNodes(graph, places)
}

/** How many links lead to a node at most; a loop is cut where it closes. */
function columnsOf(graph: Graph): Map<string, number> {
  const columns = new Map(nodesOf(graph).map((node) => [node.id, 0]))
  for (let round = 0; round < columns.size; round++) {
    let moved = false
    for (const { from, to } of linksOf(graph)) {
      const least = (columns.get(from) ?? 0) + 1
      if (from === to || least >= columns.size || (columns.get(to) ?? 0) >= least) continue
      columns.set(to, least)
      moved = true
    }
    if (!moved) break
  }
  return columns
}
