import { expect, test } from 'vitest'
import { emptyRun } from './reducer'
import { standingOf } from './standing'

const some = { ...emptyRun, last: 3 }

test('N6: a log that is refused is neither on its way nor an empty one', () => {
  expect(standingOf(emptyRun, 'loading', null)).toBe('loading')
  expect(standingOf(emptyRun, 'loading', 'rate_limited')).toBe('unread')
  expect(standingOf(emptyRun, 'live', null)).toBe('read')
})

test('N6: what was read before a refusal stays in sight', () => {
  expect(standingOf(some, 'loading', 'rate_limited')).toBe('read')
  expect(standingOf(some, 'ended', null)).toBe('read')
})
