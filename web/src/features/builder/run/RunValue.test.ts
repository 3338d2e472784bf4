import { expect, test } from 'vitest'
import { largeValue } from './RunValue'

test('B14: a value that left the log is known by its hash, and nothing else is taken for one', () => {
  const hash = 'ab'.repeat(32)
  expect(largeValue({ $value: hash, bytes: 40_000, preview: 'Call' })).toEqual({
    hash,
    bytes: 40_000,
    preview: 'Call',
  })
  for (const other of ['x', null, {}, { $value: '../../me', bytes: 1 }, { $value: hash }])
    expect(largeValue(other)).toBeNull()
})
