import { expect, test } from 'vitest'
import { kindOf, sheetOf, sourceOf } from './kinds'

test.each([
  ['# Title\n\ntext', 'markdown'],
  ['some **bold** words', 'markdown'],
  ['name,age\nAda,36\n"Byron, Lord",36', 'table'],
  [
    [
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ],
    'table',
  ],
  ['[{"a":1},{"a":2}]', 'table'],
  ['{"a": [1, 2]}', 'json'],
  [{ a: 1 }, 'json'],
  [[1, 2], 'json'],
  [null, 'json'],
  ['def f():\n    return 1', 'code'],
  ['data:image/png;base64,iVBORw0KGgo=', 'image'],
  ['data:image/svg+xml;base64,iVBORw0KGgo=', 'text'],
  ['Hello, World!', 'text'],
  ['Dear Ada,\nwe arrive at noon, all of us.', 'text'],
  ['[not json', 'text'],
])('R3: %j is shown as %s', (value, kind) => {
  expect(kindOf(value)).toBe(kind)
})

test('R3: quoted cells keep their commas, quotes and lines', () => {
  expect(sheetOf('a,b\n"x, ""y""","1\n2"\n')).toEqual({ heads: ['a', 'b'], rows: [['x, "y"', '1\n2']] })
})

test('R3: cells of a list say what they hold', () => {
  expect(sheetOf([{ a: { b: 1 }, c: null }])).toEqual({ heads: ['a', 'c'], rows: [['{"b":1}', 'null']] })
  expect(sheetOf([{ a: 1 }, { b: 2 }])).toBeNull()
})

test('what is copied is the text itself, or JSON', () => {
  expect([sourceOf('a'), sourceOf({ a: 1 })]).toEqual(['a', '{\n  "a": 1\n}'])
})
