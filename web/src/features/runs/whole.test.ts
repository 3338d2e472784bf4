import { expect, test } from 'vitest'
import { allOf } from './RunOutputs'
import { copiedWhole, wholeValue } from './whole'

const large = { $value: 'ab'.repeat(32), bytes: 40_000, preview: '"Call' }

test('R3: each large part is fetched once, and what failed to come fails the whole', async () => {
  const asked: string[] = []
  const results = [
    { name: 'letter', value: large },
    { name: 'letters', value: { first: large } },
  ]
  const whole = await wholeValue(results, async (hash) => {
    asked.push(hash)
    return 'Call me'
  })
  expect(asked).toEqual([large.$value])
  expect(JSON.parse(allOf(whole as typeof results))).toEqual({
    letter: ['Call me'],
    letters: [{ first: 'Call me' }],
  })
  await expect(wholeValue(large, () => Promise.reject(new Error('gone')))).rejects.toThrow('gone')
})

test('R3: what is all here is copied at once', () => {
  expect(copiedWhole('r', { a: 1 }, JSON.stringify)).toBe('{"a":1}')
  expect(copiedWhole('r', { a: large }, JSON.stringify)).toBeTypeOf('function')
})
