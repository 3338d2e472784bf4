import { expect, test } from 'vitest'
import type { Graph } from './document'
import { readDraft, written } from './draft'

const node = { id: 'a', block: 'b', position: [0, 0] }
const saved = { format: 'pilothouse.agent/1', name: 'Digest', nodes: [node] } as unknown as Graph
const changed = { ...saved, nodes: [{ ...node, name: 'Changed' }] } as unknown as Graph
const draft = { version: 3, graph: changed, at: '2026-01-01T00:00:00Z' }

test('a draft is read as it was written', () => {
  expect(readDraft(written(draft), saved)).toEqual(draft)
})

test('one that says what was saved is none', () => {
  expect(readDraft(written({ ...draft, graph: saved }), saved)).toBeNull()
})

test.each([null, '', 'nonsense', '{}', '[]', 'null', '{"version":1,"graph":{"nodes":5},"at":"x"}'])(
  'what cannot be read is none: %s',
  (text) => {
    expect(readDraft(text, saved)).toBeNull()
  },
)
