import { expect, test } from 'vitest'
import { inWords, likeness } from './words'

test('names of programs become words of people', () => {
  expect(['find_block', 'TodoWrite', 'mcp.tool-x'].map(inWords)).toEqual([
    'Find block',
    'Todo write',
    'Mcp tool x',
  ])
})

test('D4: what begins with the word is nearest; letters in order forgive a typo; nothing else fits', () => {
  expect(likeness('lib', 'Library')).toBeGreaterThan(likeness('lib', 'My library'))
  expect(likeness('libary', 'Library')).toBeGreaterThan(0)
  expect(likeness('xyz', 'Library')).toBe(0)
  expect(likeness('', 'Library')).toBeGreaterThan(0)
})
