import { titleOf } from '../canvas/drawing'
import { type Graph, type Link, linkKey, nodesOf, placeOf } from '../document'
import type { Faces } from '../faces'
import { wiringOf } from '../pins'

/** A line of the outline: a node, or one of the links that lead to it. */
export type Row =
  | { kind: 'node'; key: string; nodeId: string; title: string; links: number; isOpen: boolean }
  | { kind: 'link'; key: string; nodeId: string; link: Link; from: string }

/** The nodes in the order of the data, as they stand from left to right; those that are open with their links. */
export function rowsOf(graph: Graph, faces: Faces, open: ReadonlySet<string>): Row[] {
  const { into } = wiringOf(graph)
  const titles = new Map(nodesOf(graph).map((node) => [node.id, titleOf(node, faces(node))]))
  const ordered = nodesOf(graph).toSorted((a, b) => {
    const [[ax, ay], [bx, by]] = [placeOf(a), placeOf(b)]
    return ax - bx || ay - by
  })
  return ordered.flatMap((node): Row[] => {
    const links = into.get(node.id) ?? []
    const isOpen = open.has(node.id)
    const title = titles.get(node.id) ?? node.id
    const row: Row = { kind: 'node', key: node.id, nodeId: node.id, title, links: links.length, isOpen }
    if (!isOpen) return [row]
    return [
      row,
      ...links.map(
        (link): Row => ({
          kind: 'link',
          key: linkKey(link),
          nodeId: node.id,
          link,
          from: titles.get(link.from) ?? link.from,
        }),
      ),
    ]
  })
}
