import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { type Fields, fields } from '@/kit/json'
import index from '../../../../src/pilothouse/blocks/index.json?raw'
import { alternativeFor, blankFor, chosenOf, type Kind, marksOf, shapeOf } from './kinds'
import { columnKind, readAs, readCell } from './typed'
import { ValueField } from './ValueField'

type Block = { name: string; inputs: Fields; examples: { ask?: Fields }[] }
const blocks = JSON.parse(index) as Block[]

function drawn(name: string, schema: Fields, root: Fields, value?: unknown): string {
  const field = createElement(ValueField, {
    name,
    schema,
    root,
    value,
    label: name,
    onChange: () => undefined,
  })
  return renderToStaticMarkup(createElement(QueryClientProvider, { client: new QueryClient() }, field))
}

test.each(blocks.map((block) => [block.name, block] as const))(
  'B3: every input of %s has a field with its name, empty and filled',
  (_, { inputs, examples }) => {
    for (const [name, raw] of Object.entries(fields(inputs.properties))) {
      const values = [undefined, ...examples.map((example) => example.ask?.[name])]
      for (const value of values) {
        const html = drawn(name, fields(raw), inputs, value)
        expect(html).toContain(name)
        expect(html).toMatch(/<(input|textarea|select|fieldset)/)
      }
    }
  },
)

const root = { $defs: { Mode: { enum: ['fast', 'safe'], type: 'string' } } }
const kinds: [string, string, Fields, Kind][] = [
  ['text', 'x', { type: 'string' }, 'text'],
  ['multiline', 'x', { type: 'string', format: 'long-text' }, 'long'],
  ['number', 'x', { type: 'number' }, 'number'],
  ['whole number', 'x', { type: 'integer' }, 'integer'],
  ['boolean', 'x', { type: 'boolean' }, 'boolean'],
  ['enum', 'x', { $ref: '#/$defs/Mode' }, 'choice'],
  ['date', 'x', { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] }, 'date'],
  ['time', 'x', { type: 'string', format: 'time' }, 'time'],
  ['file', 'x', { type: 'string', format: 'file' }, 'file'],
  ['list', 'x', { type: 'array', items: { type: 'string' } }, 'list'],
  ['map', 'x', { type: 'object', additionalProperties: true }, 'map'],
  ['object', 'x', { type: 'object', properties: { a: { type: 'string' } } }, 'object'],
  ['union', 'x', { anyOf: [{ type: 'string' }, { type: 'number' }] }, 'union'],
  ['secret', 'x', { type: 'string', secret: true }, 'secret'],
  ['credential', 'mail_credentials', { type: 'object' }, 'credential'],
  ['agent', 'graph_id', { type: 'string' }, 'agent'],
  ['table', 'x', { type: 'array', items: { type: 'object' } }, 'table'],
  ['anything', 'x', {}, 'any'],
]

test.each(kinds)('B3: %s has a field of its own', (_, name, schema, kind) => {
  expect(shapeOf(name, schema, root).kind).toBe(kind)
  expect(drawn(name, schema, root)).toContain(name)
})

test('B3: a secret is never shown', () => {
  expect(drawn('x', { type: 'string', secret: true }, {}, 'hush')).toContain('type="password"')
})

test('B3: of several types a value chooses its own', () => {
  const types = [{ type: 'string' }, { type: 'array' }, { type: 'number' }]
  expect([['a'], 1, 'a', undefined].map((value) => alternativeFor(value, types))).toEqual([1, 2, 0, 0])
})

test('B3: what is typed becomes a value, or a reason at the field', () => {
  expect(readAs('integer', '7')).toEqual({ value: 7 })
  expect(readAs('integer', '1.5')).toEqual({ fault: 'A whole number is needed.' })
  expect(readAs('any', '[1')).toEqual({ fault: 'This is not valid JSON.' })
  expect(readAs('any', 'plain')).toEqual({ value: 'plain' })
  expect(readAs('text', '')).toEqual({ value: undefined })
})

test('B3: beside numbers whole ones are no type of their own, so that decimals can be typed', () => {
  const numbers = [{ type: 'integer' }, { type: 'number' }]
  expect(shapeOf('a', { anyOf: [...numbers, { type: 'null' }] }, {}).kind).toBe('number')
  const some = shapeOf('a', { anyOf: [...numbers, { type: 'string' }] }, {}).alternatives
  expect(some).toEqual([{ type: 'number' }, { type: 'string' }])
})

const tagged = (mark: string) => ({
  type: 'object',
  properties: { mark: { const: mark }, zone: { type: 'string' } },
})
const choice = { oneOf: [tagged('a'), tagged('b')], default: { mark: 'b', zone: 'UTC' } }

test('B3: of several objects the one is chosen whose mark a value wears', () => {
  const { alternatives } = shapeOf('x', choice, {})
  expect(alternativeFor({ mark: 'b' }, alternatives)).toBe(1)
  expect(alternativeFor({ zone: 'UTC' }, alternatives)).toBe(0)
  expect(marksOf(tagged('b'))).toEqual({ mark: 'b' })
  expect(blankFor('x', tagged('b'), {})).toEqual({ mark: 'b' })
})

test('B3: a choice of types begins with its default, until there is a value', () => {
  const shape = shapeOf('x', choice, {})
  expect(chosenOf(shape, 1, undefined).default).toBe(choice.default)
  expect(chosenOf(shape, 0, { mark: 'a' })).not.toHaveProperty('default')
  expect(drawn('x', choice, {})).toContain('value="UTC"')
})

const BEYOND = '9007199254740993' // 2 ** 53 + 1, which a number would make 2 ** 53

test('B3: a whole number that would be another one is refused, or kept as text where anything goes', () => {
  const fault = 'This whole number is too large to be kept exactly.'
  expect(readAs('integer', BEYOND)).toEqual({ fault })
  expect(readAs('number', `-${BEYOND}`)).toEqual({ fault })
  expect(readAs('number', '1e300')).toEqual({ value: 1e300 })
  expect(readAs('any', BEYOND)).toEqual({ value: BEYOND })
  expect(readAs('any', `{"id": ${BEYOND}}`)).toHaveProperty('fault')
  expect(readAs('any', `{"id": "${BEYOND}", "part": 0.${BEYOND}}`)).toHaveProperty('value.id', BEYOND)
})

test('B3: a cell is read as its column declares, else as JSON or text', () => {
  const kinds = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, {}]
  expect(kinds.map((column) => columnKind('x', column, {}))).toEqual(['text', 'number', 'any', 'any'])
  expect(readCell('text', '2')).toEqual({ value: '2' })
  expect(readCell('any', '1.0')).toEqual({ value: 1 })
  expect(readCell('any', '[draft] eggs')).toEqual({ value: '[draft] eggs' })
  expect(readCell('number', 'two')).toHaveProperty('fault')
})
