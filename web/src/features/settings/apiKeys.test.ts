import { expect, test } from 'vitest'
import { SCOPES, wordsOf } from './apiKeys'

test('S3: every scope of a key is told in words', () => {
  expect(SCOPES.filter((scope) => wordsOf(scope) === '')).toEqual([])
})
