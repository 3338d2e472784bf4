import { expect, test } from 'vitest'
import { duration } from './time'

test.each([
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.042Z', '42 ms'],
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:02.500Z', '2.5 s'],
  ['2026-01-01T00:00:00Z', '2026-01-01T00:02:05Z', '2 min 5 s'],
  [null, '2026-01-01T00:00:00Z', ''],
])('from %s to %s took "%s"', (from, to, said) => {
  expect(duration(from, to)).toBe(said)
})
