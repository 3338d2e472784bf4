import type { Edge, Node as FlowNodeOf } from '@xyflow/react'
import { say } from '@/kit/say'
import { type Graph, type Link, linkKey, linksOf, type Node, nodesOf, placeOf } from '../document'
import { type Faces, pinnedBy } from '../faces'
import { judge } from '../fitting'
import { type Block, declaredPins, drawnPins, type Pins, wiringOf } from '../pins'
import { handlesOf, sizeOf } from './geometry'

export type NodeData = {
  title: string
  block: Block | undefined
  kind: string
  /** The version of the agent inside, where there is one. */
  pinned: number | null
  pins: Pins
  inputs: { readonly [pin: string]: unknown }
  linked: ReadonlySet<string>
}
export type FlowNode = FlowNodeOf<NodeData, 'block' | 'note'>

type Drawn = { node: Node; face: Block | undefined; wires: string; flow: FlowNode }

/** Draws graphs, and draws anew only what changed since the last one: the rest stays the same objects. */
export class Drawing {
  private nodes = new Map<string, Drawn>()
  private edges = new Map<
    string,
    { link: Link; from: Block | undefined; to: Block | undefined; edge: Edge }
  >()

  nodesFor(graph: Graph, faces: Faces): FlowNode[] {
    const before = this.nodes
    const { into, out } = wiringOf(graph)
    this.nodes = new Map(
      nodesOf(graph).map((node) => {
        const face = faces(node)
        const wires = `${into.get(node.id)?.map((link) => link.in)}|${out.get(node.id)?.map((link) => link.out)}`
        const old = before.get(node.id)
        const unchanged = old !== undefined && old.node === node && old.face === face && old.wires === wires
        return [node.id, unchanged ? old : { node, face, wires, flow: drawn(graph, node, face) }]
      }),
    )
    return [...this.nodes.values()].map(({ flow }) => flow)
  }

  edgesFor(graph: Graph, faces: Faces): Edge[] {
    const before = this.edges
    const blocks = new Map(nodesOf(graph).map((node) => [node.id, faces(node)]))
    this.edges = new Map(
      linksOf(graph).map((link) => {
        const [key, from, to] = [linkKey(link), blocks.get(link.from), blocks.get(link.to)]
        const old = before.get(key)
        const unchanged = old !== undefined && old.link === link && old.from === from && old.to === to
        return [key, unchanged ? old : { link, from, to, edge: drawnEdge(link, from, to) }]
      }),
    )
    return [...this.edges.values()].map(({ edge }) => edge)
  }
}

export function titleOf(node: Node, block: Block | undefined): string {
  return node.name || block?.name || node.id
}

function drawn(graph: Graph, node: Node, block: Block | undefined): FlowNode {
  const [x, y] = placeOf(node)
  const isNote = block?.kind === 'note'
  const pins = isNote ? { inputs: [], outputs: [] } : drawnPins(graph, node, block)
  const size = sizeOf(node, block, pins)
  const title = titleOf(node, block)
  return {
    id: node.id,
    type: isNote ? 'note' : 'block',
    position: { x, y },
    ...size,
    measured: size,
    handles: handlesOf(pins),
    ariaLabel: title,
    ...(isNote ? { zIndex: -1 } : {}),
    data: {
      title,
      block,
      kind: block?.kind ?? 'unknown',
      pinned: block?.kind === 'agent' ? (pinnedBy(node)?.version ?? null) : null,
      pins,
      inputs: node.inputs ?? {},
      linked: new Set(
        wiringOf(graph)
          .into.get(node.id)
          ?.map((link) => link.in),
      ),
    },
  }
}

function drawnEdge(link: Link, from: Block | undefined, to: Block | undefined): Edge {
  const out = declaredPins(from).outputs.find((pin) => pin.name === link.out)
  const sink = declaredPins(to).inputs.find((pin) => pin.name === link.in)
  const { fit, how } =
    out && sink ? judge(out.schema, out.root, sink.schema, sink.root) : { fit: 'fits', how: null }
  const words = how === null ? null : say(`canvas.fit.${how}`)
  return {
    id: linkKey(link),
    source: link.from,
    sourceHandle: link.out,
    target: link.to,
    targetHandle: link.in,
    ariaLabel: say('canvas.link', { from: link.from, out: link.out, to: link.to, in: link.in }),
    ...(fit === 'risky' || fit === 'never' ? { className: `link-${fit}`, label: words } : {}),
  }
}
