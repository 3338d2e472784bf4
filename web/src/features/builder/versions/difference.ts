import { type Fields, fields } from '@/kit/json'
import { type Graph, type Link, linkKey, linksOf, type Node, nodesOf } from '../document'

/** Two graphs as one picture, and as the words that the server uses for a difference. Pure. */

export type Mark = 'added' | 'removed' | 'changed' | 'same'
export type MarkedNode = { node: Node; mark: Mark; changed: readonly string[] }
export type MarkedLink = { link: Link; mark: Mark }
export type Marked = { nodes: readonly MarkedNode[]; links: readonly MarkedLink[] }

const TEXTS = ['name', 'description', 'instructions', 'recommended_schedule_cron'] as const

/** Everything that is in either graph, and which of the two it is in. Where a node stands is no difference. */
export function marked(before: Graph, after: Graph): Marked {
  const old = new Map(nodesOf(before).map((node) => [node.id, node]))
  const now = new Set(nodesOf(after).map((node) => node.id))
  const oldLinks = new Set(linksOf(before).map(linkKey))
  const nowLinks = new Set(linksOf(after).map(linkKey))
  return {
    nodes: [
      ...nodesOf(after).map((node) => markOf(old.get(node.id), node)),
      ...nodesOf(before)
        .filter((node) => !now.has(node.id))
        .map((node): MarkedNode => ({ node, mark: 'removed', changed: [] })),
    ],
    links: [
      ...linksOf(after).map(
        (link): MarkedLink => ({ link, mark: oldLinks.has(linkKey(link)) ? 'same' : 'added' }),
      ),
      ...linksOf(before)
        .filter((link) => !nowLinks.has(linkKey(link)))
        .map((link): MarkedLink => ({ link, mark: 'removed' })),
    ],
  }
}

function markOf(old: Node | undefined, node: Node): MarkedNode {
  if (old === undefined) return { node, mark: 'added', changed: [] }
  const { inputs, ...rest } = fields(nodeChanges(old, node))
  const changed = [...Object.keys(rest), ...Object.keys(fields(inputs))]
  return { node, mark: changed.length === 0 ? 'same' : 'changed', changed }
}

/** What the server would answer for these two: `{nodes, links, metadata}`, each part only when there is something. */
export function difference(before: Graph, after: Graph): Fields {
  const { nodes, links } = marked(before, after)
  const old = new Map(nodesOf(before).map((node) => [node.id, node]))
  const changed = nodes.flatMap(({ node, mark }) => {
    const was = old.get(node.id)
    return mark === 'changed' && was !== undefined ? [[node.id, nodeChanges(was, node)] as const] : []
  })
  return some({
    nodes: some({
      added: nodes.filter(({ mark }) => mark === 'added').map(({ node }) => node),
      removed: nodes.filter(({ mark }) => mark === 'removed').map(({ node }) => node),
      changed: Object.fromEntries(changed),
    }),
    links: some({
      added: links.filter(({ mark }) => mark === 'added').map(({ link }) => link),
      removed: links.filter(({ mark }) => mark === 'removed').map(({ link }) => link),
    }),
    metadata: changes(texts(before), texts(after)),
  })
}

function nodeChanges(old: Node, node: Node): Fields {
  const inputs = changes(old.inputs ?? {}, node.inputs ?? {})
  return { ...changes(face(old), face(node)), ...some({ inputs }) }
}

function face({ block, name, policy, optional_credentials }: Node): Fields {
  return {
    block,
    name: name ?? '',
    policy: policy ?? {},
    optional_credentials: optional_credentials ?? false,
  }
}

function texts(graph: Graph): Fields {
  return Object.fromEntries(TEXTS.map((name) => [name, graph[name] ?? '']))
}

function changes(old: Fields, now: Fields): Fields {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].toSorted()
  return Object.fromEntries(
    names
      .filter((name) => !same(old[name], now[name]))
      .map((name) => [name, { ...side('from', old, name), ...side('to', now, name) }]),
  )
}

function side(which: 'from' | 'to', sides: Fields, name: string): Fields {
  return Object.hasOwn(sides, name) ? { [which]: sides[name] } : {}
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

/** The order of keys means nothing to a step. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  )
}

/** Only the parts in which there is something. */
function some(parts: Fields): Fields {
  return Object.fromEntries(
    Object.entries(parts).filter(([, part]) => part !== undefined && Object.keys(part as object).length > 0),
  )
}
