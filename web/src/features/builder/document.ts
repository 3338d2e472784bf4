import type { Schemas } from '@/api/shapes'

/** An agent's graph as it is edited, in the server's canonical form: nodes by id, links by their ends, no defaults. */
export type Graph = Schemas['AgentDetail']['graph']
export type Node = NonNullable<Graph['nodes']>[number]
export type Link = NonNullable<Graph['links']>[number]
export type Place = readonly [number, number]

export function nodesOf(graph: Graph): readonly Node[] {
  return graph.nodes ?? []
}

export function linksOf(graph: Graph): readonly Link[] {
  return graph.links ?? []
}

export function nodeById(graph: Graph, id: string | null): Node | undefined {
  return id === null ? undefined : nodesOf(graph).find((node) => node.id === id)
}

export function linkKey(link: Pick<Link, 'from' | 'out' | 'to' | 'in'>): string {
  return `${link.from}.${link.out}>${link.to}.${link.in}`
}

export function placeOf(node: Node): Place {
  const [x = 0, y = 0] = node.position ?? []
  return [x, y]
}

/** A name that no node has: `count-words`, `count-words-2`, ... */
export function freshId(graph: Graph, name: string, alsoTaken: ReadonlySet<string> = new Set()): string {
  const taken = new Set(nodesOf(graph).map((node) => node.id))
  const stem =
    name
      .toLowerCase()
      .replaceAll(/[^a-z\d]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 48) || 'node'
  let id = stem
  for (let count = 2; taken.has(id) || alsoTaken.has(id); count++) id = `${stem}-${count}`
  return id
}

/** What is left at its default is not written. */
export function trimmed(node: Node): Node {
  const { name, inputs, position, policy, optional_credentials, ...rest } = node
  const made: Node = { ...rest }
  if (name) made.name = name
  if (position?.some((part) => part !== 0)) made.position = position
  if (inputs && Object.keys(inputs).length > 0) made.inputs = inputs
  if (policy && Object.keys(policy).length > 0) made.policy = policy
  if (optional_credentials) made.optional_credentials = true
  return made
}

/** The same graph in the one order that equal graphs share. */
export function canonical(graph: Graph): Graph {
  return {
    ...graph,
    nodes: nodesOf(graph).map(trimmed).toSorted(byId),
    links: linksOf(graph).toSorted(byEnds),
  }
}

export function byId(a: Node, b: Node): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

const ENDS = ['from', 'out', 'to', 'in'] as const

export function byEnds(a: Link, b: Link): number {
  for (const end of ENDS) if (a[end] !== b[end]) return a[end] < b[end] ? -1 : 1
  return 0
}

/** Whether two values are written alike. Inside a value the order of keys is the author's, and means something. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

export function sameNode(a: Node, b: Node): boolean {
  if (a === b) return true
  const [one, other] = [a.inputs ?? {}, b.inputs ?? {}]
  const pins = Object.keys(one)
  return (
    a.id === b.id &&
    a.block === b.block &&
    (a.name ?? '') === (b.name ?? '') &&
    same(placeOf(a), placeOf(b)) &&
    same(a.policy ?? {}, b.policy ?? {}) &&
    (a.optional_credentials ?? false) === (b.optional_credentials ?? false) &&
    pins.length === Object.keys(other).length &&
    pins.every((pin) => Object.hasOwn(other, pin) && same(one[pin], other[pin]))
  )
}

const TEXTS = ['name', 'description', 'instructions', 'recommended_schedule_cron'] as const

/** Whether two graphs say the same, wherever their nodes stand in the file. */
export function sameGraph(a: Graph, b: Graph): boolean {
  if (a === b) return true
  const [nodes, others] = [nodesOf(a), nodesOf(b)]
  if (nodes.length !== others.length || linksOf(a).length !== linksOf(b).length) return false
  if (TEXTS.some((text) => (a[text] ?? '') !== (b[text] ?? ''))) return false
  const known = new Map(others.map((node) => [node.id, node]))
  const links = new Set(linksOf(b).map((link) => `${linkKey(link)} ${link.static ?? false}`))
  return (
    nodes.every((node) => {
      const other = known.get(node.id)
      return other !== undefined && sameNode(node, other)
    }) && linksOf(a).every((link) => links.has(`${linkKey(link)} ${link.static ?? false}`))
  )
}
