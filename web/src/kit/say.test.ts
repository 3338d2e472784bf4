import { expect, test } from 'vitest'
import { english } from './english'
import { say, sayCount } from './say'

test('a text is found by its key', () => {
  expect(say('common.cancel')).toBe('Cancel')
})

test('what is named in a text is filled in, and only there', () => {
  expect(say('common.deleted', { name: '{name}' })).toBe('Deleted {name}.')
})

test('a count chooses between one and other', () => {
  expect(sayCount('common.steps', 1)).toBe('1 step')
  expect(sayCount('common.steps', 0)).toBe('0 steps')
})

test('every area is sorted by key, so that two changes rarely meet', async () => {
  const areas = import.meta.glob<Record<string, object>>('./english/*.ts', { eager: true })
  for (const [file, found] of Object.entries(areas)) {
    if (file.endsWith('index.ts')) continue
    for (const texts of Object.values(found))
      expect(Object.keys(texts)).toEqual(Object.keys(texts).toSorted())
  }
  expect(Object.keys(english).length).toBeGreaterThan(0)
})
