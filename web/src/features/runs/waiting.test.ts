import { expect, test } from 'vitest'
import type { Schemas } from '@/api/shapes'
import { countOf } from './waiting'

test('N4: the badge tells as many as are listed, and that there are more where there are', () => {
  const items = [{}, {}] as Schemas['ReviewOut'][]
  expect(countOf({ items, next_cursor: null })).toBe('2')
  expect(countOf({ items, next_cursor: 'more' })).toBe('2+')
})
