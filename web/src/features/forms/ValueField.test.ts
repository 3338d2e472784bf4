import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { type Fields, fields } from '@/kit/json'
import index from '../../../../src/pilothouse/blocks/index.json?raw'
import { alternativeFor, type Kind, shapeOf } from './kinds'
import { readAs } from './typed'
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
