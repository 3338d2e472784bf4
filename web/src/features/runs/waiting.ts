import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Schemas } from '@/api/shapes'

const MOST = 200

/**
 * What agents ask this user now. Runs begin to wait by themselves, and no hint is sent of it, so it is looked at again
 * and again: the badge and the list that it counts are one answer.
 */
export const waitingReviews = queryOptions({
  queryKey: ['runs', 'waiting'],
  queryFn: () =>
    unwrap(api.GET('/api/reviews', { params: { query: { state: 'waiting', brief: true, limit: MOST } } })),
  refetchInterval: 3_000,
})

/** As many as are listed; a plus says that there are still more. */
export function countOf({ items, next_cursor }: Schemas['ReviewList']): string {
  return `${items.length}${next_cursor === null ? '' : '+'}`
}
