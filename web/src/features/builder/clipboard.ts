import { fields, list, number, text } from '@/kit/json'
import { addition } from './between'
import {
  freshId,
  type Graph,
  type Link,
  linksOf,
  type Node,
  nodesOf,
  type Place,
  placeOf,
  trimmed,
} from './document'
import type { Operation } from './operations'
import { type Block, declaredPins, isCredentials } from './pins'

const FORMAT = 'pilothouse.nodes/1'

type Clip = { nodes: readonly Node[]; links: readonly Link[] }

/** Nodes and the links between them as text. Secrets and credentials stay here. */
export function copied(graph: Graph, ids: ReadonlySet<string>, blocks: ReadonlyMap<string, Block>): string {
  const nodes = nodesOf(graph)
    .filter((node) => ids.has(node.id))
    .map((node) => withoutSecrets(node, blocks.get(node.block)))
  const links = linksOf(graph).filter((link) => ids.has(link.from) && ids.has(link.to))
  return JSON.stringify({ format: FORMAT, nodes, links })
}

function withoutSecrets(node: Node, block: Block | undefined): Node {
  const secret = new Set(
    declaredPins(block)
      .inputs.filter((pin) => pin.schema.secret === true || pin.schema.format === 'password')
      .map((pin) => pin.name),
  )
  const inputs = Object.entries(node.inputs ?? {}).filter(([pin]) => !secret.has(pin) && !isCredentials(pin))
  return { ...node, inputs: Object.fromEntries(inputs) }
}

/** What was copied, from any agent and any tab; null when the text is something else. */
export function readClip(words: string): Clip | null {
  if (!words.includes(FORMAT)) return null
  try {
    const found = fields(JSON.parse(words))
    if (found.format !== FORMAT) return null
    return {
      nodes: list(found.nodes).map(fields).flatMap(readNode),
      links: list(found.links).map(fields).flatMap(readLink),
    }
  } catch {
    return null
  }
}

function readNode(found: { readonly [key: string]: unknown }): Node[] {
  const [id, block, name] = [text(found.id), text(found.block), text(found.name)]
  if (id === null || block === null) return []
  const [x, y] = list(found.position).map((part) => number(part) ?? 0)
  return [
    trimmed({
      id,
      block,
      name: name ?? '',
      inputs: { ...fields(found.inputs) },
      position: [x ?? 0, y ?? 0],
      policy: fields(found.policy) as NonNullable<Node['policy']>, // the server judges what it says
      optional_credentials: found.optional_credentials === true,
    }),
  ]
}

function readLink(found: { readonly [key: string]: unknown }): Link[] {
  const [from, out, to, sink] = [text(found.from), text(found.out), text(found.to), text(found.in)]
  if (from === null || out === null || to === null || sink === null) return []
  return [{ from, out, to, in: sink, ...(found.static === true ? { static: true } : {}) }]
}

/** Put it into a graph under new ids, its top left corner at this place. Blocks that are not installed are left out. */
export function pasted(
  graph: Graph,
  clip: Clip,
  blocks: ReadonlyMap<string, Block>,
  at: Place,
): { operations: Operation[]; ids: string[] } {
  const nodes = clip.nodes.filter((node) => blocks.has(node.block))
  const left = Math.min(...nodes.map((node) => placeOf(node)[0]))
  const top = Math.min(...nodes.map((node) => placeOf(node)[1]))
  const ids = new Map<string, string>()
  const operations: Operation[] = nodes.flatMap((node) => {
    const id = freshId(graph, node.id.replace(/-\d+$/, ''), new Set(ids.values()))
    ids.set(node.id, id)
    const [x, y] = placeOf(node)
    return addition({ ...node, id, position: [Math.round(at[0] + x - left), Math.round(at[1] + y - top)] })
  })
  for (const link of clip.links) {
    const [from, to] = [ids.get(link.from), ids.get(link.to)]
    if (from !== undefined && to !== undefined) operations.push({ op: 'connect', ...link, from, to })
  }
  return { operations, ids: [...ids.values()] }
}
