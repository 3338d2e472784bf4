import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import type { Schemas } from '@/api/shapes'
import { reviewsOf } from './queries'

test('when one review is decided the others stay, with what is written to them', () => {
  const cache = new QueryClient()
  const reviews: Schemas['ReviewList'] = { items: [], next_cursor: null }
  cache.setQueryData(reviewsOf('run', 'first second', false).queryKey, reviews)
  const seen = new QueryObserver(cache, reviewsOf('run', 'first second', false))
  seen.setOptions(reviewsOf('run', 'second', false))
  expect(seen.getCurrentResult().data).toEqual(reviews)
})
