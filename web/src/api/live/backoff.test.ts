import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rest } from './backoff'

test('C3: from half a second it doubles to 15 s, and is never the same for all', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 99].map((attempt) => rest(attempt, () => 1))).toEqual([
    500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000,
  ])
  fc.assert(
    fc.property(fc.nat(50), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, chance) => {
      const millis = rest(attempt, () => chance)
      expect(millis).toBeGreaterThanOrEqual(250)
      expect(millis).toBeLessThanOrEqual(15_000)
    }),
  )
})
