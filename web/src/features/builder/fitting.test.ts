import { expect, test } from 'vitest'
import served from '../../../../tests/graph/web_cases.json?raw'
import { convert, judge, typesOf } from './fitting'

type Share = 'all' | 'some' | 'none'
const { conversions } = JSON.parse(served) as { conversions: Record<string, Record<string, Share>> }
const pairs = Object.entries(conversions).flatMap(([from, row]) =>
  Object.entries(row)
    .filter(([to]) => to !== 'any' && to !== 'null')
    .map(([to, share]) => [from, to, share] as const),
)

test.each(pairs)('B4: from %s to %s, %s of the values convert on the server', (from, to, share) => {
  const { fit, how } = convert(from, to)
  if (share === 'none') expect(fit).toBe('never')
  else if (share === 'some') expect(fit).toBe('risky')
  // What always converts may still lose something on the way.
  else expect(['fits', 'converts', ...(how?.startsWith('only_') ? ['risky'] : [])]).toContain(fit)
})

const text = { type: 'string' }
const whole = { type: 'integer' }
const judged = (from: object, to: object) => judge({ ...from }, {}, { ...to }, {}).fit

test('B4: null beside a type changes nothing, and what is not declared fits', () => {
  expect(judged({ anyOf: [text, { type: 'null' }] }, text)).toBe('fits')
  expect(judged({}, whole)).toBe('fits')
  expect(judged(text, {})).toBe('fits')
})

test('B4: of several types, what only some can do is a risk', () => {
  expect(judged({ anyOf: [whole, { type: 'array' }] }, { type: 'boolean' })).toBe('risky')
  expect(judged({ type: 'array' }, { type: 'boolean' })).toBe('never')
  expect(judged({ type: 'array' }, { anyOf: [{ type: 'boolean' }, text] })).toBe('converts')
})

test('B4: a choice takes only its own words, and lists are judged by what is in them', () => {
  expect(judged(text, { enum: ['a', 'b'], type: 'string' })).toBe('risky')
  expect(judged({ enum: ['a'], type: 'string' }, { enum: ['a', 'b'], type: 'string' })).toBe('fits')
  expect(judged({ type: 'array', items: text }, { type: 'array', items: whole })).toBe('risky')
  expect(judged({ type: 'array', items: whole }, { type: 'array', items: text })).toBe('fits')
})

test('B4: a type behind a reference is that type', () => {
  expect(typesOf({ $ref: '#/$defs/Mode' }, { $defs: { Mode: { enum: ['fast'] } } })).toEqual(['string'])
})
