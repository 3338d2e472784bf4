import type { Schemas } from '@/api/shapes'
import { type Fields, fields, list } from '@/kit/json'
import { type Graph, linksOf, type Node } from './document'

export type Block = Schemas['BlockOut']
export type Pins = { inputs: readonly string[]; outputs: readonly string[] }

/** The pins of a node: those of its block, and those that only links name (`values_#_name`). */
export function pinsOf(graph: Graph, node: Node, block: Block | undefined): Pins {
  const inputs = new Set(Object.keys(fields(block?.inputs.properties)))
  const outputs = new Set(Object.keys(fields(block?.outputs.properties)))
  for (const link of linksOf(graph)) {
    if (link.to === node.id) inputs.add(link.in)
    if (link.from === node.id) outputs.add(link.out)
  }
  if (outputs.delete('error')) outputs.add('error')
  return { inputs: [...inputs], outputs: [...outputs] }
}

/** The pins that are drawn. Blocks at the agent's border are mostly settings: only what is set, linked or needed shows. */
export function drawnPins(graph: Graph, node: Node, block: Block | undefined): Pins {
  const pins = pinsOf(graph, node, block)
  if (block?.kind !== 'input' && block?.kind !== 'output') return pins
  const linked = new Set(linksOf(graph).flatMap((link) => (link.to === node.id ? [link.in] : [])))
  const matters = (pin: string) =>
    pin === 'value' || linked.has(pin) || node.inputs?.[pin] !== undefined || inputSchema(block, pin).required
  return { ...pins, inputs: pins.inputs.filter(matters) }
}

/** The schema of an input, and whether it must be given. */
export function inputSchema(block: Block | undefined, pin: string): { schema: Fields; required: boolean } {
  return {
    schema: resolved(fields(fields(block?.inputs.properties)[pin]), fields(block?.inputs.$defs)),
    required: list(block?.inputs.required).includes(pin),
  }
}

function resolved(schema: Fields, definitions: Fields): Fields {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  return name === undefined ? schema : { ...fields(definitions[name]), ...schema }
}

const HEAD = 38
const ROW = 22

export function heightOf(pins: Pins): number {
  return HEAD + ROW * Math.max(1, pins.inputs.length, pins.outputs.length) + 12
}
