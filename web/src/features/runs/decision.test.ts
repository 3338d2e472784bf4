import { expect, test } from 'vitest'
import type { Schemas } from '@/api/shapes'
import { asEdited, decisionOf } from './decision'

const review = {
  id: 'r',
  payload: { to: 'ann' },
  payload_hash: 'h',
  editable: true,
} as unknown as Schemas['ReviewOut']
const plain = { review_id: 'r', payload_hash: 'h', rest_of_node: false }

test('what was not changed is approved as it was asked', () => {
  const shown = asEdited(review.payload)
  expect(decisionOf(review, true, shown, ' ')).toEqual({ ...plain, approved: true })
})

test('what was changed is sent along', () => {
  expect(decisionOf(review, true, '{"to": "bob"}', 'Bob')).toEqual({
    ...plain,
    approved: true,
    data: { to: 'bob' },
    message: 'Bob',
  })
})

test('text is text, not JSON', () => {
  const said = decisionOf({ ...review, payload: 'Dear Ann' }, true, 'Dear Bob', '')
  expect(said.data).toBe('Dear Bob')
})

test('a rejection sends no data, however it was changed', () => {
  expect(decisionOf(review, false, 'not even JSON', 'No')).toEqual({
    ...plain,
    approved: false,
    message: 'No',
  })
})

test('what must be JSON and is not cannot be approved', () => {
  expect(() => decisionOf(review, true, '{to: bob}', '')).toThrow(SyntaxError)
})
