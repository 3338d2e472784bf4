import ts from 'typescript'
import { expect, test } from 'vitest'
import { english } from './english'

/** Folders whose every text comes from the catalogue. A folder that has got there is added, never taken out. */
const CONVERTED =
  /^\/src\/(features\/(accounts|agents|builder|chat|files|library|runs|settings|shell)|routes|ui)\//

const SHOWN = new Set(['alt', 'aria-label', 'help', 'label', 'placeholder', 'title', 'none'])
const WORDS = /\p{L}{2}/u

const sources = import.meta.glob<string>('/src/**/*.tsx', { query: '?raw', import: 'default', eager: true })

function literalsIn(name: string, text: string): string[] {
  const found: string[] = []
  function look(node: ts.Node, inCode: boolean): void {
    const code =
      inCode || (ts.isJsxElement(node) && /^(code|kbd)$/.test(node.openingElement.tagName.getText(file)))
    if (ts.isJsxText(node) && !code && WORDS.test(node.text)) found.push(`${name}: ${node.text.trim()}`)
    if (ts.isJsxAttribute(node) && node.initializer && SHOWN.has(node.name.getText(file))) {
      const said = ts.isStringLiteral(node.initializer) ? node.initializer.text : ''
      if (WORDS.test(said)) found.push(`${name}: ${node.name.getText(file)}="${said}"`)
    }
    ts.forEachChild(node, (child) => look(child, code))
  }
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  look(file, false)
  return found
}

test('D13: no text stands in the sources of the folders that take theirs from the catalogue', () => {
  const looked = Object.entries(sources).filter(([name]) => CONVERTED.test(name))
  expect(looked.length).toBeGreaterThan(60)
  expect(looked.flatMap(([name, text]) => literalsIn(name, text))).toEqual([])
})

test('D13: a text, and a label, that stand in the source are found; code and keys are not', () => {
  const source =
    '<p title="Over here">Hello <b>{say("x")}</b><code>pilothouse serve</code><kbd>Ctrl</kbd> ×2</p>'
  expect(literalsIn('a.tsx', source)).toEqual(['a.tsx: title="Over here"', 'a.tsx: Hello'])
})

test('D13: every text of the catalogue is used', () => {
  const all = import.meta.glob<string>('/src/**/*.{ts,tsx}', {
    query: '?raw',
    import: 'default',
    eager: true,
  })
  const code = Object.entries(all)
    .filter(([name]) => !name.startsWith('/src/kit/english/'))
    .map(([, text]) => text)
    .join('\n')
  const named = new Set(Array.from(code.matchAll(/['"`]([\w.]+)['"`]/g), ([, key]) => key))
  const begun = Array.from(code.matchAll(/`([\w.]+\.)\$\{/g), ([, start]) => start ?? '')
  const unused = Object.keys(english).filter(
    (key) => !named.has(key) && !begun.some((start) => key.startsWith(start)),
  )
  expect(unused).toEqual([])
})
