import { expect, test } from 'vitest'
import { stepsApart, valuesApart } from './compare'

test('R5: every value of either run is told, and which are the same', () => {
  expect(valuesApart({ name: 'Ada', n: [1] }, { n: [1], loud: true })).toEqual([
    { what: 'loud', a: '', b: 'true', same: false },
    { what: 'n', a: '[1]', b: '[1]', same: true },
    { what: 'name', a: 'Ada', b: '', same: false },
  ])
})

test('R5: steps are compared by their node, however often it ran', () => {
  const step = (node_id: string, status: string, attempt = 1) => ({ node_id, status, attempt })
  expect(
    stepsApart(
      [step('a', 'completed'), step('b', 'failed', 3)],
      [step('a', 'completed'), step('b', 'completed'), step('b', 'completed'), step('c', 'skipped')],
    ),
  ).toEqual([
    { what: 'a', a: 'completed', b: 'completed', same: true },
    { what: 'b', a: 'failed ×3', b: 'completed, completed', same: false },
    { what: 'c', a: '', b: 'skipped', same: false },
  ])
})
