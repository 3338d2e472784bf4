import { useQuery } from '@tanstack/react-query'
import { blockCatalogue } from './blocks'
import { agentById } from './queries'

/** What the nodes of a version are called: each by its own name, else by its block's. */
export function useNodeNames(
  of: { agent_id: string; version: number } | undefined,
): ReadonlyMap<string, string> {
  const agent = useQuery({ ...agentById(of?.agent_id ?? '', of?.version), enabled: of !== undefined })
  const nodes = agent.data?.graph.nodes ?? []
  const blocks = useQuery({ ...blockCatalogue, enabled: nodes.some((node) => !node.name) })
  return new Map(nodes.map((node) => [node.id, node.name || (blocks.data?.get(node.block)?.name ?? '')]))
}
