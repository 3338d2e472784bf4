import type { Schemas } from '@/api/shapes'
import { type Fields, fields, list } from '@/kit/json'
import { type Graph, type Link, linksOf, type Node } from './document'
import { resolved, typesOf } from './fitting'

export type Block = Schemas['BlockOut']

/** One pin as it is drawn, judged and filled in. */
export type Pin = {
  name: string
  schema: Fields
  root: Fields
  types: readonly string[]
  required: boolean
  hidden: boolean
  advanced: boolean
}
export type Pins = { inputs: readonly Pin[]; outputs: readonly Pin[] }

const known = new WeakMap<Block, Pins>()

/** The pins that a block declares; the one for errors comes last. */
export function declaredPins(block: Block | undefined): Pins {
  if (block === undefined) return { inputs: [], outputs: [] }
  const found = known.get(block)
  if (found !== undefined) return found
  const outputs = pinsIn(block.outputs)
  const made = {
    inputs: pinsIn(block.inputs),
    outputs: [
      ...outputs.filter((pin) => pin.name !== 'error'),
      ...outputs.filter((pin) => pin.name === 'error'),
    ],
  }
  known.set(block, made)
  return made
}

function pinsIn(root: Fields): Pin[] {
  const required = new Set(list(root.required))
  return Object.entries(fields(root.properties)).map(([name, raw]) => {
    const schema = resolved(fields(raw), root)
    return {
      name,
      schema,
      root,
      types: typesOf(schema, root),
      required: required.has(name),
      hidden: schema.hidden === true,
      advanced: schema.advanced === true,
    }
  })
}

/** The links of each node, by its id. One pass over the graph serves everybody who asks. */
export type Wiring = { into: ReadonlyMap<string, readonly Link[]>; out: ReadonlyMap<string, readonly Link[]> }

const wirings = new WeakMap<readonly Link[], Wiring>()

export function wiringOf(graph: Graph): Wiring {
  const links = linksOf(graph)
  const found = wirings.get(links)
  if (found !== undefined) return found
  const into = new Map<string, Link[]>()
  const out = new Map<string, Link[]>()
  for (const link of links) {
    into.set(link.to, [...(into.get(link.to) ?? []), link])
    out.set(link.from, [...(out.get(link.from) ?? []), link])
  }
  const made = { into, out }
  wirings.set(links, made)
  return made
}

/** The pins of a node: those of its block, and those that only its links name (`values_#_name`). */
export function pinsOf(graph: Graph, node: Node, block: Block | undefined): Pins {
  const { inputs, outputs } = declaredPins(block)
  const { into, out } = wiringOf(graph)
  return {
    inputs: withNamed(
      inputs,
      (into.get(node.id) ?? []).map((link) => link.in),
    ),
    outputs: withNamed(
      outputs,
      (out.get(node.id) ?? []).map((link) => link.out),
    ),
  }
}

function withNamed(pins: readonly Pin[], named: readonly string[]): readonly Pin[] {
  const extra = [...new Set(named)].filter((name) => !pins.some((pin) => pin.name === name))
  if (extra.length === 0) return pins
  return extra.reduce((made, name) => beside(made, namedPin(name)), pins)
}

/** A pin with a path stands under the one that it is a part of. */
function beside(pins: readonly Pin[], extra: Pin): readonly Pin[] {
  const at = pins.findLastIndex((pin) => baseOf(pin.name) === baseOf(extra.name))
  return at < 0 ? [...pins, extra] : [...pins.slice(0, at + 1), extra, ...pins.slice(at + 1)]
}

/** What lies inside a value only the run can tell, so such a pin takes anything. */
function namedPin(name: string): Pin {
  return { name, schema: {}, root: {}, types: [], required: false, hidden: false, advanced: false }
}

export function baseOf(pin: string): string {
  if (/^tools_\^_.*_~_/.test(pin)) return 'tools'
  return pin.split(/_[#$@]_/, 1)[0] ?? pin
}

/** A reference to a credential is chosen, never sent over a link. */
export function isCredentials(name: string): boolean {
  return name === 'credentials' || name.endsWith('_credentials')
}

const MOST = 8

/**
 * The pins that are drawn. Blocks at the agent's border are mostly settings, and large blocks have many inputs that
 * nobody touches: of those only what is set, linked or needed shows.
 */
export function drawnPins(graph: Graph, node: Node, block: Block | undefined): Pins {
  const pins = pinsOf(graph, node, block)
  const border = block?.kind === 'input' || block?.kind === 'output'
  const linked = new Set((wiringOf(graph).into.get(node.id) ?? []).map((link) => link.in))
  const matters = (pin: Pin) =>
    linked.has(pin.name) ||
    pin.required ||
    (border && pin.name === 'value') ||
    (node.inputs?.[pin.name] !== undefined && !isCredentials(pin.name))
  const few = !border && pins.inputs.length <= MOST
  const shown = pins.inputs.filter((pin) => matters(pin) || (few && !pin.hidden && !isCredentials(pin.name)))
  return { ...pins, inputs: shown }
}
