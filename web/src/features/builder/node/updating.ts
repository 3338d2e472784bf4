import type { Schemas } from '@/api/shapes'
import type { Graph, Link, Node } from '../document'
import type { Operation } from '../operations'
import { type Block, baseOf, declaredPins, wiringOf } from '../pins'

type Child = Pick<Schemas['AgentDetail'], 'active_version' | 'input_schema' | 'output_schema'>

/** What pins a sub-agent node to another version, and the links whose pins that version does not have. */
export function updateOf(
  graph: Graph,
  node: Node,
  face: Block,
  child: Child,
): { operations: Operation[]; lost: { from: string; out: string; to: string; in: string }[] } {
  const { into, out } = wiringOf(graph)
  const pins = declaredPins(face)
  const has = (side: 'inputs' | 'outputs', name: string) =>
    pins[side].some((pin) => pin.name === baseOf(name))
  const lost = [
    ...(into.get(node.id) ?? []).filter((link) => !has('inputs', link.in)),
    ...(out.get(node.id) ?? []).filter((link) => !has('outputs', link.out)),
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

function ends({ from, out, to, in: sink }: Link) {
  return { from, out, to, in: sink }
}
