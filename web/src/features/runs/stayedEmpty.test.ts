import { expect, test } from 'vitest'
import { stayedEmpty } from './stayedEmpty'

const titleOf = (node_id: string) => node_id.toUpperCase()
const left = { step_id: 7, node_id: 'pair', filled: ['a', 'b'], missing: ['c'] }

test('F16: a run tells which blocks never ran, and which waited for something to the end', () => {
  const run = { not_reached: ['mail', 'pair'], leftovers: [left], stats: { leftovers: 1 } }
  expect(stayedEmpty(run, titleOf)).toEqual({
    title: '2 parts of the agent had nothing to do',
    lines: ['MAIL', 'PAIR: got a, b, never c'],
  })
})

test('F16: each step that waited has its line, also of a block that ran before', () => {
  const run = { not_reached: [], leftovers: [left, { ...left, filled: [] }], stats: { leftovers: 1_500 } }
  expect(stayedEmpty(run, titleOf)).toEqual({
    title: '1500 parts of the agent had nothing to do',
    lines: ['PAIR: got a, b, never c', 'PAIR: never got c'],
  })
})

test('F16: a run in which nothing stayed empty, or that goes on, says nothing', () => {
  expect(stayedEmpty({ not_reached: [], leftovers: [], stats: { leftovers: 0 } }, titleOf)).toBeNull()
  expect(stayedEmpty({ not_reached: [], leftovers: [], stats: null }, titleOf)).toBeNull()
})
