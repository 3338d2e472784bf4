import { expect, test } from 'vitest'
import { fieldsOf, valuesOf } from './schema'

const schema = {
  type: 'object',
  required: ['name', 'count'],
  properties: {
    name: { type: 'string', title: 'Name' },
    count: { type: 'integer' },
    loud: { type: 'boolean', default: true },
    items: { type: 'array' },
  },
}

test('each input becomes a field with its kind and its default', () => {
  expect(
    fieldsOf(schema).map(({ name, kind, required, initial }) => [name, kind, required, initial]),
  ).toEqual([
    ['name', 'text', true, ''],
    ['count', 'integer', true, ''],
    ['loud', 'boolean', false, 'true'],
    ['items', 'json', false, ''],
  ])
})

test('a type that may also be null is still that type, and a choice of types takes anything', () => {
  const anyOf = (...types: string[]) => ({ properties: { x: { anyOf: types.map((type) => ({ type })) } } })
  expect(fieldsOf(anyOf('string', 'null'))[0]?.kind).toBe('text')
  expect(fieldsOf(anyOf('string', 'number'))[0]?.kind).toBe('json')
})

test('an agent without inputs has no fields', () => {
  expect(fieldsOf({ type: 'object' })).toEqual([])
})

test('typed text becomes values of the right type, and what is empty is left out', () => {
  const fields = fieldsOf(schema)
  expect(valuesOf(fields, { name: '7', count: '7', loud: 'false', items: '[1, "a"]' })).toEqual({
    name: '7',
    count: 7,
    loud: false,
    items: [1, 'a'],
  })
  expect(valuesOf(fields, {})).toEqual({ name: '' })
})

test.each([
  [{ count: '1.5' }, 'count: a whole number is needed.'],
  [{ items: '[1,' }, 'items: this is not valid JSON.'],
])('%o is refused in words', (typed, said) => {
  expect(() => valuesOf(fieldsOf(schema), typed)).toThrow(said)
})

test('B3: long texts, choices, dates and times get fields of their own', () => {
  const kinds = fieldsOf({
    properties: {
      long: { type: 'string', format: 'long-text' },
      one: { enum: ['a', 'b'] },
      day: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] },
    },
  }).map(({ kind }) => kind)
  expect(kinds).toEqual(['long', 'choice', 'date'])
})

test('B3: an input that takes a file gets a field for files, and its reference is sent as it is', () => {
  const [field] = fieldsOf({
    properties: { report: { anyOf: [{ type: 'string' }, { type: 'null' }], format: 'file' } },
    required: ['report'],
  })
  expect(field?.kind).toBe('file')
  const report = 'workspace://01990000-0000-7000-8000-000000000101#text/csv'
  expect(valuesOf(field ? [field] : [], { report })).toEqual({ report })
})

test('a whole number that would be another one is refused, or sent as text where anything goes', () => {
  const beyond = '9007199254740993'
  const send = (typed: Record<string, string>) => valuesOf(fieldsOf(schema), { name: '', ...typed })
  expect(() => send({ count: beyond })).toThrow('count: This whole number is too large to be kept exactly.')
  expect(() => send({ items: `[${beyond}]` })).toThrow('too large')
  expect(send({ items: beyond })).toEqual({ name: '', items: beyond })
  expect(send({ items: `call ${beyond}` })).toEqual({ name: '', items: `call ${beyond}` })
})
