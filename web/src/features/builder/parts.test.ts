import { expect, test } from 'vitest'
import { hasParts, partOf, wantsKey, withPart } from './parts'
import type { Pin } from './pins'

function pin(name: string, ...types: string[]): Pin {
  return { name, schema: {}, root: {}, types, required: false, hidden: false, advanced: false }
}

test.each([
  ['response', ''],
  ['response_#_title', 'title'],
  ['response_#_items_$_0_#_name', 'items.0.name'],
  ['list_$_-1', '-1'],
  ['tools_^_send_~_text', '_^_send_~_text'],
  ['response_@_title', '_@_title'],
  ['response_#_a.b', '_#_a.b'],
  ['response_#_2026', '_#_2026'],
])('F9: %s names the part %o, and is made of it again', (spelt, part) => {
  expect(partOf(spelt)).toBe(part)
  expect(withPart(spelt, part, null)).toBe(spelt)
})

test('F10: a number is a key where only objects fit, and a place in a list elsewhere', () => {
  expect(withPart('values', '2026', ['object'])).toBe('values_#_2026')
  expect(withPart('values', '2026', [])).toBe('values_$_2026')
  expect(withPart('values', ' name ', ['object'])).toBe('values_#_name')
  expect(withPart('values_#_name', '', ['object'])).toBe('values')
})

test('only inputs that hold several things have parts', () => {
  expect(
    [pin('a'), pin('a', 'object'), pin('a', 'array', 'string'), pin('a', 'string')].map(hasParts),
  ).toEqual([true, true, true, false])
})

test('a link of something else into an object most likely means one key of it', () => {
  const link = { from: 'a', out: 'result', to: 'b', in: 'values' }
  expect(wantsKey(pin('result', 'string'), pin('values', 'object'), link)).toBe(true)
  expect(wantsKey(pin('result'), pin('values', 'object'), link)).toBe(true)
  expect(wantsKey(pin('result', 'object'), pin('values', 'object'), link)).toBe(false)
  expect(wantsKey(pin('result', 'string'), pin('values', 'object', 'string'), link)).toBe(false)
})
