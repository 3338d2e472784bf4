import { expect, test } from 'vitest'
import { marked } from './favourites'
import type { Entry } from './queries'

const entry = (id: string, favourite: boolean) => ({ id, favourite }) as Entry
const list = {
  pages: [
    { items: [entry('a', false), entry('b', true)], next_cursor: 'more' },
    { items: [entry('c', false)], next_cursor: null },
  ],
  pageParams: [null, 'more'],
}

test('D8, L1: a favourite is marked on the page that it is on, and nothing else changes', () => {
  const after = marked(list, { agent_id: 'c', favourite: true })
  expect(after.pages[1]?.items).toEqual([entry('c', true)])
  expect(after.pages[0]).toEqual(list.pages[0])
  expect(marked(after, { agent_id: 'c', favourite: false })).toEqual(list)
})
