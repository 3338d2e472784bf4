import { afterEach, expect, test, vi } from 'vitest'
import { newId } from './ids'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

afterEach(() => void vi.unstubAllGlobals())

test('an id is a UUID of version 4, and none comes twice', () => {
  const ids = Array.from({ length: 200 }, newId)
  for (const id of ids) expect(id).toMatch(UUID_V4)
  expect(new Set(ids).size).toBe(200)
})

test('over plain http a browser has no randomUUID, and ids are made all the same', () => {
  vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => bytes.fill(0xff) })
  expect(newId()).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff')
})
