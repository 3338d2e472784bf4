import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { draftOf, forgetDrafts, joined, keepDraft } from './drafts'

let kept: Record<string, string>

beforeEach(() => {
  const methods = {
    getItem: (name: string) => kept[name] ?? null,
    setItem: (name: string, value: string) => {
      kept[name] = value
    },
    removeItem: (name: string) => {
      Reflect.deleteProperty(kept, name)
    },
  }
  // As in a browser, the names that are kept are the object's own, and its methods are not.
  kept = Object.create(methods)
  vi.stubGlobal('localStorage', kept)
})

afterEach(() => void vi.unstubAllGlobals())

test('AP5: a text that comes back stands before what was typed meanwhile', () => {
  expect(joined('A', 'B')).toBe('A\n\nB')
  expect(joined('A', '')).toBe('A')
  expect(joined('A', ' \n')).toBe('A')
})

test('who signs out leaves no message behind; a graph that is not saved stays', () => {
  keepDraft(null, 'a secret')
  keepDraft('s1', 'another')
  localStorage.setItem('draft:agent', 'a graph')
  expect([draftOf(null), draftOf('s1')]).toEqual(['a secret', 'another'])
  forgetDrafts()
  expect([draftOf(null), draftOf('s1')]).toEqual(['', ''])
  expect(localStorage.getItem('draft:agent')).toBe('a graph')
})
