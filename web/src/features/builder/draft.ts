import { number } from '@/kit/json'
import { type Graph, sameGraph } from './document'

/** Changes that were not saved, and the version that they were made to. */
export type Draft = { version: number; graph: Graph; at: string }

export function draftKey(agentId: string): string {
  return `draft:${agentId}`
}

export function written(draft: Draft): string {
  return JSON.stringify(draft)
}

/** What was kept, unless it cannot be read or says what the server has anyway. */
export function readDraft(text: string | null, saved: Graph): Draft | null {
  if (text === null) return null
  try {
    const found: unknown = JSON.parse(text)
    if (!isDraft(found) || sameGraph(found.graph, saved)) return null
    return found
  } catch {
    return null
  }
}

function isDraft(found: unknown): found is Draft {
  if (typeof found !== 'object' || found === null) return false
  const { version, graph, at } = found as Partial<Record<keyof Draft, unknown>>
  const nodes = (graph as Graph | null | undefined)?.nodes
  return number(version) !== null && typeof at === 'string' && (nodes === undefined || Array.isArray(nodes))
}
