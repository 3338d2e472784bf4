import { expect, test } from 'vitest'
import { libraryView } from './view'

test('N3: an address is read as the view that it was written from', () => {
  const view = { q: 'boat', status: 'attention', sort: 'name', order: 'asc', favourite: true } as const
  expect(libraryView(view)).toEqual(view)
})

test('N3: what an address cannot ask for is as if it were not there', () => {
  expect(
    libraryView({ q: '  ', status: 'happy', sort: 'size', order: 'up', cursor: 'x', favourite: 'maybe' }),
  ).toEqual({})
  expect(libraryView({ q: 'x'.repeat(200) }).q).toHaveLength(100)
})
