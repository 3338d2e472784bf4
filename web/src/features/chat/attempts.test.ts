import { expect, test } from 'vitest'
import { attemptFailed, beginAttempt } from './attempts'

test('a text that failed goes out again under its id, and only in its session', () => {
  const first = beginAttempt('a', 'help')
  attemptFailed('a', 'help', first)
  expect(beginAttempt('b', 'help')).not.toBe(first)
  expect(beginAttempt('a', 'help')).toBe(first)
})

test('what arrived is a message of its own when it is said again', () => {
  const first = beginAttempt('c', 'yes')
  expect(beginAttempt('c', 'yes')).not.toBe(first)
})

test('who says something else afterwards means the same words anew', () => {
  const first = beginAttempt('d', 'yes')
  attemptFailed('d', 'yes', first)
  beginAttempt('d', 'something else')
  expect(beginAttempt('d', 'yes')).not.toBe(first)
})

test('of two that were on their way together, each keeps its id', () => {
  const [one, other] = [beginAttempt('e', 'one'), beginAttempt('e', 'other')]
  attemptFailed('e', 'one', one)
  attemptFailed('e', 'other', other)
  expect(beginAttempt('e', 'other')).toBe(other)
})
