import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Schemas } from '@/api/shapes'
import { agentList } from './queries'

type Agent = Schemas['AgentOut']

const NONE: readonly Agent[] = []

// Apart from the list that many pages show: that one is read again after every save, this one where it is used.
const allAgents = queryOptions({
  queryKey: [...agentList.queryKey, 'all'],
  queryFn: () => everyPage(pageOfAgents),
})

/** All of one's own agents, newest first: for choosing one. The same list for as long as nothing has changed. */
export function useAllAgents(): readonly Agent[] {
  return useQuery(allAgents).data ?? NONE
}

type Page = { items: readonly Agent[]; next_cursor: string | null }

/** What all pages hold, asked for one after the other. */
export async function everyPage(ask: (cursor: string | null) => Promise<Page>): Promise<readonly Agent[]> {
  const found: Agent[] = []
  let cursor: string | null = null
  do {
    const page: Page = await ask(cursor)
    found.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== null)
  return found
}

function pageOfAgents(cursor: string | null): Promise<Page> {
  const query: { limit: number; cursor?: string } = cursor === null ? { limit: 200 } : { limit: 200, cursor }
  return unwrap(api.GET('/api/agents', { params: { query } }))
}
