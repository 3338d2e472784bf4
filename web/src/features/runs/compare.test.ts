import { expect, test } from 'vitest'
import { nodesApart, outputsApart, valuesApart, wholeApart } from './compare'

const figures = (statuses: Record<string, number>, cost_microdollars = 0) => ({
  steps: 1,
  statuses,
  cost_microdollars,
  duration_ms: 12,
})

test('R5: every value of either run is told, and which are the same', () => {
  expect(valuesApart({ name: 'Ada', n: [1] }, { n: [1], loud: true })).toEqual([
    { what: 'loud', a: '', b: 'true', same: false },
    { what: 'n', a: '[1]', b: '[1]', same: true },
    { what: 'name', a: 'Ada', b: '', same: false },
  ])
})

test('R5: runs are told apart by status, version and cost; how long they took is told only', () => {
  const run = { id: 'r', version: 1, status: 'completed' as const, cost_microdollars: 0, duration_ms: 5 }
  const lines = wholeApart({ a: run, b: { ...run, status: 'failed', duration_ms: 1_500 } })
  expect(lines.map(({ what, same }) => [what, same])).toEqual([
    ['Status', false],
    ['Version', true],
    ['Took', null],
    ['Spent', true],
  ])
  expect(lines[2]).toMatchObject({ a: '5 ms', b: '1.5 s' })
})

test('R5: of outputs the word of the server counts, also where both are cut to the same line', () => {
  const long = 'x'.repeat(3_000)
  const outputs = [
    { name: 'one', same: true, a: ['Ada'], b: ['Ada'] },
    { name: 'many', same: false, a: [1, 2], b: [] },
    { name: 'long', same: false, a: [`${long}a`], b: [`${long}b`] },
  ]
  const [one, many, cut] = outputsApart({ outputs })
  expect(one).toEqual({ what: 'one', a: 'Ada', b: 'Ada', same: true })
  expect(many).toEqual({ what: 'many', a: '[1,2]', b: '', same: false })
  expect(cut?.a).toBe(cut?.b)
  expect(cut?.same).toBe(false)
})

test('R5: nodes differ by how they ended, by what they gave, and by not being reached', () => {
  const nodes = [
    { node_id: 'a', same_outputs: true, a: figures({ completed: 1 }), b: figures({ completed: 1 }) },
    { node_id: 'b', same_outputs: false, a: figures({ completed: 2 }), b: figures({ completed: 2 }, 20_000) },
    { node_id: 'c', same_outputs: true, a: figures({ completed: 1 }), b: figures({ failed: 1 }) },
    { node_id: 'd', same_outputs: false, a: figures({ completed: 1 }), b: null },
  ]
  expect(nodesApart({ nodes }, (id) => `Block ${id}`)).toEqual([
    { what: 'Block a', a: 'completed, 12 ms', b: 'completed, 12 ms', same: true },
    {
      what: 'Block b',
      a: 'completed ×2, 12 ms',
      b: 'completed ×2, 12 ms, $0.02; gave other values',
      same: false,
    },
    { what: 'Block c', a: 'completed, 12 ms', b: 'failed, 12 ms', same: false },
    { what: 'Block d', a: 'completed, 12 ms', b: 'not reached', same: false },
  ])
})
