import { expect, test } from 'vitest'
import { dollars } from './money'

test.each([
  [0, '$0.00'],
  [1_250_000, '$1.25'],
  [10_000, '$0.01'],
  [1_200, '$0.0012'],
  [1, '$0.000001'],
])('%d microdollars are told as %s', (microdollars, told) => {
  expect(dollars(microdollars)).toBe(told)
})
