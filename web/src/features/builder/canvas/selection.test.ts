import { expect, test } from 'vitest'
import type { FlowNode } from './drawing'
import { choosing } from './selection'

const node = (id: string, selected: boolean) => ({ id, selected, position: { x: 0, y: 0 } }) as FlowNode

test('B6: what was pasted is chosen and nothing else, and the rest stays what it was', () => {
  const before = [node('a', true), node('b', false), node('c', false)]
  const after = choosing(before, new Set(['c']))
  expect(after.map(({ selected }) => selected)).toEqual([false, false, true])
  expect(after[1]).toBe(before[1])
})
