import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Schemas } from '@/api/shapes'
import { agentById } from '@/features/agents/queries'
import { fields, list, number, text } from '@/kit/json'
import { type Graph, type Node, nodesOf } from './document'
import type { Block } from './pins'

/** The block of a node as that node shows it: a sub-agent has the pins of its child. */
export type Faces = (node: Node) => Block | undefined
type Child = Pick<Schemas['AgentDetail'], 'id' | 'version' | 'name' | 'input_schema' | 'output_schema'>

export function pinnedBy(node: Node): { agentId: string; version: number } | null {
  const [agentId, version] = [text(node.inputs?.graph_id), number(node.inputs?.graph_version)]
  return agentId && version !== null ? { agentId, version } : null
}

const keyOf = (agentId: string, version: number) => `${agentId} ${version}`

export function useFaces(graph: Graph, blocks: ReadonlyMap<string, Block>): Faces {
  const pinned = useMemo(() => childrenOf(graph, blocks), [graph, blocks])
  const children = useQueries({
    queries: pinned.map(({ agentId, version }) => ({
      ...agentById(agentId, version),
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: (answers) => answers.map((answer) => answer.data),
  })
  return useMemo(() => {
    const made = new Map<string, Block>()
    for (const child of children) {
      if (child !== undefined) made.set(keyOf(child.id, child.version), faceWith(blocks, child))
    }
    return (node) => {
      const block = blocks.get(node.block)
      const pin = block?.kind === 'agent' ? pinnedBy(node) : null
      return (pin === null ? undefined : made.get(keyOf(pin.agentId, pin.version))) ?? block
    }
  }, [children, blocks])
}

function childrenOf(graph: Graph, blocks: ReadonlyMap<string, Block>) {
  const found = new Map<string, { agentId: string; version: number }>()
  for (const node of nodesOf(graph)) {
    const pin = blocks.get(node.block)?.kind === 'agent' ? pinnedBy(node) : null
    if (pin !== null) found.set(keyOf(pin.agentId, pin.version), pin)
  }
  return [...found.values()]
}

const NAMING = ['graph_id', 'graph_version']

function faceWith(blocks: ReadonlyMap<string, Block>, child: Child): Block {
  const executor = [...blocks.values()].find((block) => block.kind === 'agent') as Block
  return withChild(executor, child)
}

/** What a face was made of, so that the pins of one child never stay on the face of another. */
const plain = new WeakMap<Block, Block>()

/** The agent block with the pins of one child, as the server sees it. */
export function withChild(shown: Block, child: Child): Block {
  const block = plain.get(shown) ?? shown
  const takes = fields(child.input_schema.properties)
  const own = Object.entries(fields(block.inputs.properties))
    .filter(([name]) => NAMING.includes(name) || !(name in takes))
    .map(([name, schema]) => [name, { ...fields(schema), hidden: true }] as const)
  const gives = Object.entries(fields(child.output_schema.properties)).map(
    ([name, schema]) => [name, fields(fields(schema).items)] as const,
  )
  const face: Block = {
    ...block,
    name: child.name || block.name,
    inputs: {
      ...block.inputs,
      additionalProperties: false,
      properties: { ...takes, ...Object.fromEntries(own) },
      required: list(child.input_schema.required),
      $defs: { ...fields(block.inputs.$defs), ...fields(child.input_schema.$defs) },
    } as Block['inputs'],
    outputs: {
      ...block.outputs,
      additionalProperties: false,
      properties: { ...Object.fromEntries(gives), ...fields(block.outputs.properties) },
    } as Block['outputs'],
  }
  plain.set(face, block)
  return face
}
