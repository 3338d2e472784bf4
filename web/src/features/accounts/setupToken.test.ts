import { expect, test } from 'vitest'
import { setupToken } from './setupToken'

test('the token is read from the part of the link that no server sees', () => {
  expect(setupToken('#token=abc_DEF-1')).toBe('abc_DEF-1')
  expect(setupToken('')).toBeNull()
  expect(setupToken('#other=1')).toBeNull()
})
