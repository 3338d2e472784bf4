import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Schemas } from '@/api/shapes'

type Block = Schemas['BlockOut']

/** The whole catalogue: it changes only when the server does. */
export const blockCatalogue = queryOptions({
  queryKey: ['blocks'],
  queryFn: allBlocks,
  staleTime: 5 * 60_000,
})

async function allBlocks(): Promise<ReadonlyMap<string, Block>> {
  const found = new Map<string, Block>()
  let cursor: string | null = null
  do {
    const query: { limit: number; cursor?: string } =
      cursor === null ? { limit: 200 } : { limit: 200, cursor }
    const page: { items: Block[]; next_cursor: string | null } = await unwrap(
      api.GET('/api/blocks', { params: { query } }),
    )
    for (const block of page.items) found.set(block.id, block)
    cursor = page.next_cursor
  } while (cursor !== null)
  return found
}
