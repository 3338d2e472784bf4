import { expect, test } from 'vitest'
import { firstOther, othersOf } from './others'

const run = (id: string, day: number, ended = true) => ({
  id,
  created_at: `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`,
  ended_at: ended ? '2026-02-01T00:00:00Z' : null,
})

test('R5: a run is compared with any other that has ended, also one that no page listed', () => {
  const listed = [run('d', 9), run('c', 8, false), run('b', 7)]
  const found = othersOf('d', [...listed, run('a', 2), run('b', 7), undefined])
  expect(found.map(({ id }) => id)).toEqual(['b', 'a'])
})

test('R5: the origin comes first wherever it stands, and the newest where there is none', () => {
  const others = [run('c', 8), run('b', 7), run('a', 2)]
  expect(firstOther(others, 'a')?.id).toBe('a')
  expect(firstOther(others, undefined)?.id).toBe('c')
  expect(firstOther(others, 'gone')?.id).toBe('c')
  expect(firstOther([], 'a')).toBeUndefined()
})
