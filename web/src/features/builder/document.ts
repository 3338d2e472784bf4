import type { Schemas } from '@/api/shapes'

/** An agent's graph as it is edited. Every edit is pure: it takes a graph and gives another. */
export type Graph = Schemas['AgentDetail']['graph']
export type Node = NonNullable<Graph['nodes']>[number]
export type Link = NonNullable<Graph['links']>[number]

export function nodesOf(graph: Graph): readonly Node[] {
  return graph.nodes ?? []
}

export function linksOf(graph: Graph): readonly Link[] {
  return graph.links ?? []
}

export function linkKey(link: Link): string {
  return `${link.from}.${link.out}>${link.to}.${link.in}`
}

/** A name that no node has: `count-words`, `count-words-2`, ... */
export function freshId(graph: Graph, name: string): string {
  const taken = new Set(nodesOf(graph).map((node) => node.id))
  const stem =
    name
      .toLowerCase()
      .replaceAll(/[^a-z\d]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'node'
  let id = stem
  for (let count = 2; taken.has(id); count++) id = `${stem}-${count}`
  return id
}

export function addNode(graph: Graph, node: Node): Graph {
  return { ...graph, nodes: [...nodesOf(graph), node] }
}

function changeNode(graph: Graph, id: string, change: (node: Node) => Node): Graph {
  return { ...graph, nodes: nodesOf(graph).map((node) => (node.id === id ? change(node) : node)) }
}

export function moveNodes(graph: Graph, to: ReadonlyMap<string, readonly [number, number]>): Graph {
  return {
    ...graph,
    nodes: nodesOf(graph).map((node) => {
      const position = to.get(node.id)
      return position ? { ...node, position: [...position] } : node
    }),
  }
}

export function renameNode(graph: Graph, id: string, name: string): Graph {
  return changeNode(graph, id, (node) => ({ ...node, name }))
}

/** Set a literal input; undefined takes it away. */
export function setInput(graph: Graph, id: string, pin: string, value: unknown): Graph {
  return changeNode(graph, id, (node) => {
    const { [pin]: _, ...rest } = node.inputs ?? {}
    return { ...node, inputs: value === undefined ? rest : { ...rest, [pin]: value } }
  })
}

/** Nodes and every link that touches them. */
export function removeNodes(graph: Graph, ids: ReadonlySet<string>): Graph {
  return {
    ...graph,
    nodes: nodesOf(graph).filter((node) => !ids.has(node.id)),
    links: linksOf(graph).filter((link) => !ids.has(link.from) && !ids.has(link.to)),
  }
}

export function connect(graph: Graph, link: Link): Graph {
  const key = linkKey(link)
  if (link.from === link.to || linksOf(graph).some((known) => linkKey(known) === key)) return graph
  return { ...graph, links: [...linksOf(graph), link] }
}

export function disconnect(graph: Graph, keys: ReadonlySet<string>): Graph {
  return { ...graph, links: linksOf(graph).filter((link) => !keys.has(linkKey(link))) }
}

/** Whether two graphs say the same, wherever their nodes stand in the file. */
export function sameGraph(a: Graph, b: Graph): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
