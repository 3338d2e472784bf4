import { expect, test } from 'vitest'
import { filledIn, largeParts, largeValue, previewed } from './large'

const hash = 'ab'.repeat(32)
const other = 'cd'.repeat(32)
const large = { $value: hash, bytes: 40_000, preview: '"Call' }

test('B14: a value that left the log is known by its hash, and nothing else is taken for one', () => {
  expect(largeValue({ $value: hash, bytes: 40_000, preview: 'Call' })).toEqual({
    hash,
    bytes: 40_000,
    preview: 'Call',
  })
  for (const one of ['x', null, {}, { $value: '../../me', bytes: 1 }, { $value: hash }])
    expect(largeValue(one)).toBeNull()
})

test('B14: large parts are found inside small objects and lists, with the way to them', () => {
  expect(largeParts(large)).toEqual([{ hash, bytes: 40_000, preview: '"Call', path: [] }])
  const letters = { letters: [{ to: 'Ada', body: large }, null, 'x'], count: 1 }
  expect(largeParts(letters).map(({ path }) => path)).toEqual([['letters', '0', 'body']])
  expect(largeParts({ a: { b: [1, 'two', null] } })).toEqual([])
})

test('B14: what is shown of a large part is its beginning, without what cutting it left', () => {
  expect(previewed(large)).toBe('Call…')
  expect(previewed({ ...large, preview: '"one\\ntwo\\' })).toBe('one\ntwo…')
  expect(previewed({ ...large, preview: '"one\\u00e' })).toBe('one…')
  expect(previewed({ ...large, preview: '[1, 2' })).toBe('[1, 2…')
  expect(previewed({ to: 'Ada', parts: [large, 3] })).toEqual({ to: 'Ada', parts: ['Call…', 3] })
})

test('R3: what is copied has its large parts again, and what they hold is left as it is', () => {
  const value = { body: large, more: [{ ...large, $value: other }], count: 1 }
  const wholes = new Map<string, unknown>([
    [hash, 'Call me'],
    [other, large],
  ])
  expect(filledIn(value, wholes)).toEqual({ body: 'Call me', more: [large], count: 1 })
})
