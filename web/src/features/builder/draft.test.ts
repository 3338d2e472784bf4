import { expect, test } from 'vitest'
import type { Graph } from './document'
import { answer, clear, type Draft, keep, offeredTo, readDraft, type Shelf, visiting, written } from './draft'

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

function shelf(): Shelf & { kept: Map<string, string> } {
  const kept = new Map<string, string>()
  return {
    kept,
    recall: (key) => kept.get(key) ?? null,
    remember: (key, text) => void (text === null ? kept.delete(key) : kept.set(key, text)),
  }
}

const named = (name: string): Draft => ({ ...draft, graph: { ...changed, name } })

test('B11: edits made before an offer is answered do not take its place', () => {
  const place = shelf()
  keep(visiting('a', saved, place), named('First'))
  const second = visiting('a', saved, place)
  keep(second, named('Second'))
  expect(offeredTo(second)).toEqual(named('First'))

  const third = visiting('a', saved, place)
  expect(offeredTo(third)).toEqual(named('Second'))
  answer(third)
  expect(offeredTo(third)).toEqual(named('First'))
  answer(third)
  expect(offeredTo(third)).toBeNull()
  expect(place.kept.size).toBe(0)
})

test('B11: what was dropped after an edit does not come back, and the edit is kept', () => {
  const place = shelf()
  keep(visiting('a', saved, place), named('First'))
  const second = visiting('a', saved, place)
  keep(second, named('Second'))
  answer(second)
  const third = visiting('a', saved, place)
  expect(offeredTo(third)).toEqual(named('Second'))
  answer(third)
  expect(offeredTo(third)).toBeNull()
})

test('B11: looking at an offer is no decision', () => {
  const place = shelf()
  keep(visiting('a', saved, place), draft)
  clear(visiting('a', saved, place), saved)
  expect(offeredTo(visiting('a', saved, place))).toEqual(draft)
})

test('B11: a tab that has nothing to keep leaves what another tab keeps', () => {
  const place = shelf()
  const [one, other] = [visiting('a', saved, place), visiting('a', saved, place)]
  keep(one, draft)
  clear(other, saved)
  expect(offeredTo(visiting('a', saved, place))).toEqual(draft)
  clear(one, saved)
  expect(place.kept.size).toBe(0)
})

test('B11: what says what was saved by now is kept no longer', () => {
  const place = shelf()
  keep(visiting('a', saved, place), draft)
  clear(visiting('a', changed, place), changed)
  expect(place.kept.size).toBe(0)
})
