import type { Schemas } from '@/api/shapes'
import { fields } from '@/kit/json'
import { say } from '@/kit/say'
import {
  byEnds,
  byId,
  type Graph,
  type Link,
  linkKey,
  linksOf,
  type Node,
  nodesOf,
  type Place,
  trimmed,
} from './document'

type Ends = { from: string; out: string; to: string; in: string }
type TextOp = 'set_name' | 'set_description' | 'set_instructions' | 'set_recommended_schedule'

/** The edit operations of the server, as far as a person makes them: what the page does, the API can be told to do. */
export type Operation =
  | {
      op: 'add_node'
      id: string
      block: string
      name?: string
      inputs?: { [pin: string]: unknown }
      position?: Place
      keep_unknown?: boolean
    }
  | { op: 'remove_node'; node: string }
  | { op: 'update_node'; node: string; patch: { [key: string]: unknown } }
  | { op: 'rename_node'; node: string; name: string }
  | { op: 'move_node'; node: string; position: Place }
  | { op: 'set_input'; node: string; field: readonly [string]; value: unknown; keep_unknown?: boolean }
  | { op: 'unset_input'; node: string; field: readonly [string] }
  | ({ op: 'connect'; static?: boolean } & Ends)
  | ({ op: 'disconnect' } & Ends)
  | { op: TextOp; value: string }

/** Fails to compile when an operation is not one that the server takes. */
export const spoken = (operations: readonly Operation[]): Schemas['AgentEdit']['ops'] =>
  operations as readonly Mutable<Operation>[] as Schemas['AgentEdit']['ops']
type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** An operation that cannot be done; the code is the server's. */
export class OperationRefused extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

type Bench = { graph: Graph; nodes: Map<string, Node>; links: Map<string, Link> }

/** The graph after all of them, or `OperationRefused` and nothing changed. Untouched nodes stay the same objects. */
export function applied(graph: Graph, operations: readonly Operation[]): Graph {
  if (operations.length === 0) return graph
  const bench: Bench = {
    graph,
    nodes: new Map(nodesOf(graph).map((node) => [node.id, node])),
    links: new Map(linksOf(graph).map((link) => [linkKey(link), link])),
  }
  for (const operation of operations) take(bench, operation)
  const nodes = [...bench.nodes.values()].sort(byId)
  return { ...bench.graph, nodes, links: [...bench.links.values()].sort(byEnds) }
}

const TEXT_KEYS: Record<TextOp, 'name' | 'description' | 'instructions' | 'recommended_schedule_cron'> = {
  set_name: 'name',
  set_description: 'description',
  set_instructions: 'instructions',
  set_recommended_schedule: 'recommended_schedule_cron',
}

function take(bench: Bench, operation: Operation): void {
  switch (operation.op) {
    case 'add_node':
      add(bench, operation)
      break
    case 'remove_node':
      remove(bench, operation.node)
      break
    case 'update_node':
      change(bench, operation.node, (node) => merged(node, operation.patch) as Node)
      break
    case 'rename_node':
      change(bench, operation.node, (node) => ({ ...node, name: operation.name }))
      break
    case 'move_node':
      change(bench, operation.node, (node) => ({ ...node, position: [...operation.position] }))
      break
    case 'set_input':
      change(bench, operation.node, (node) => ({
        ...node,
        inputs: { ...node.inputs, [operation.field[0]]: operation.value },
      }))
      break
    case 'unset_input':
      change(bench, operation.node, (node) => withoutInput(node, operation.field[0]))
      break
    case 'connect':
      connect(bench, operation)
      break
    case 'disconnect':
      disconnect(bench, operation)
      break
    default:
      setText(bench, TEXT_KEYS[operation.op], operation.value)
  }
}

function add(bench: Bench, { id, block, name, inputs, position }: Operation & { op: 'add_node' }): void {
  if (bench.nodes.has(id)) throw new OperationRefused('node_exists', say('builder.no.nodeTwice', { id }))
  const place = position ?? [bench.nodes.size * 320, 0]
  bench.nodes.set(
    id,
    trimmed({ id, block, name: name ?? '', inputs: { ...inputs }, position: [...place] } as Node),
  )
}

function found(bench: Bench, id: string): Node {
  const node = bench.nodes.get(id)
  if (node === undefined) throw new OperationRefused('unknown_node', say('builder.no.node', { id }))
  return node
}

function change(bench: Bench, id: string, how: (node: Node) => Node): void {
  bench.nodes.set(id, trimmed(how(found(bench, id))))
}

function remove(bench: Bench, id: string): void {
  bench.nodes.delete(found(bench, id).id)
  for (const [key, link] of bench.links) if (link.from === id || link.to === id) bench.links.delete(key)
}

function withoutInput(node: Node, pin: string): Node {
  if (!Object.hasOwn(node.inputs ?? {}, pin)) {
    throw new OperationRefused('no_such_value', say('builder.no.value', { pin }))
  }
  const { [pin]: _, ...inputs } = node.inputs ?? {}
  return { ...node, inputs }
}

function connect(bench: Bench, { op: _, static: fixed, ...ends }: Operation & { op: 'connect' }): void {
  found(bench, ends.from)
  found(bench, ends.to)
  const key = linkKey(ends)
  if (bench.links.has(key)) throw new OperationRefused('link_exists', say('builder.no.linkTwice'))
  bench.links.set(key, fixed ? { ...ends, static: true } : ends)
}

function disconnect(bench: Bench, ends: Ends): void {
  found(bench, ends.from)
  found(bench, ends.to)
  if (!bench.links.delete(linkKey(ends))) throw new OperationRefused('no_such_link', say('builder.no.link'))
}

function setText(bench: Bench, key: (typeof TEXT_KEYS)[TextOp], value: string): void {
  const { [key]: _, ...rest } = bench.graph
  bench.graph = value === '' ? rest : { ...rest, [key]: value }
}

/** A merge patch (RFC 7386): null takes away. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const result: { [key: string]: unknown } = { ...fields(target) }
  for (const [key, part] of Object.entries(patch)) {
    if (part === null) delete result[key]
    else result[key] = merged(result[key], part)
  }
  return result
}
