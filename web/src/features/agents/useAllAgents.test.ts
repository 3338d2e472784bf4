import { expect, test } from 'vitest'
import type { Schemas } from '@/api/shapes'
import { everyPage } from './useAllAgents'

const agent = (id: string) => ({ id }) as Schemas['AgentOut']

test('B2: agents beyond the first page can be chosen, too', async () => {
  const asked: (string | null)[] = []
  const found = await everyPage(async (cursor) => {
    asked.push(cursor)
    return cursor === null
      ? { items: [agent('c'), agent('b')], next_cursor: 'b' }
      : { items: [agent('a')], next_cursor: null }
  })
  expect(found.map(({ id }) => id)).toEqual(['c', 'b', 'a'])
  expect(asked).toEqual([null, 'b'])
})
