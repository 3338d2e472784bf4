import type { Schemas } from '@/api/shapes'
import { type Graph, type Link, type Node, nodeById } from '../document'
import type { Faces } from '../faces'
import { judge } from '../fitting'
import type { Operation } from '../operations'
import { type Block, baseOf, declaredPins, type Pin, wiringOf } from '../pins'

type Child = Pick<Schemas['AgentDetail'], 'active_version' | 'input_schema' | 'output_schema'>

/** What pins a sub-agent node to another version, and the links that it has no pin for or cannot take any more. */
export function updateOf(
  graph: Graph,
  node: Node,
  face: Block,
  child: Child,
  faces: Faces,
): { operations: Operation[]; lost: { from: string; out: string; to: string; in: string }[] } {
  const { into, out } = wiringOf(graph)
  const pins = declaredPins(face)
  const facing = (id: string) => {
    const other = nodeById(graph, id)
    return declaredPins(id === node.id ? face : other && faces(other))
  }
  const lost = [
    ...(into.get(node.id) ?? []).filter((link) => {
      const pin = named(pins.inputs, link.in)
      return pin === undefined || !fits(named(facing(link.from).outputs, link.out), pin, link)
    }),
    ...(out.get(node.id) ?? []).filter((link) => {
      const pin = named(pins.outputs, link.out)
      return pin === undefined || !fits(pin, named(facing(link.to).inputs, link.in), link)
    }),
  ].map(ends)
  const set = (pin: string, value: unknown): Operation => ({
    op: 'set_input',
    node: node.id,
    field: [pin],
    value,
  })
  return {
    lost,
    operations: [
      ...lost.map((link): Operation => ({ op: 'disconnect', ...link })),
      set('graph_version', child.active_version),
      set('input_schema', child.input_schema),
      set('output_schema', child.output_schema),
    ],
  }
}

function named(pins: readonly Pin[], name: string): Pin | undefined {
  return pins.find((pin) => pin.name === baseOf(name))
}

/** What goes into or out of a part of a pin is judged when it runs, as it is when it is linked. */
function fits(out: Pin | undefined, sink: Pin | undefined, link: Link): boolean {
  if (out === undefined || sink === undefined || out.name !== link.out || sink.name !== link.in) return true
  return judge(out.schema, out.root, sink.schema, sink.root).fit !== 'never'
}

function ends({ from, out, to, in: sink }: Link) {
  return { from, out, to, in: sink }
}
