import { expect, test } from 'vitest'
import { readAgentFile } from './agentFile'

function file(text: string, size = text.length) {
  return { size, text: () => Promise.resolve(text) }
}

test('an object is an agent file', async () => {
  expect(await readAgentFile(file('{"nodes": []}'))).toEqual({ nodes: [] })
})

test.each(['', '{', '[]', 'null', '7', '"text"'])('%j is not', async (text) => {
  await expect(readAgentFile(file(text))).rejects.toThrow('not JSON')
})

test('one that no import takes is not even read', async () => {
  await expect(readAgentFile(file('{}', 11 * 1024 * 1024))).rejects.toThrow('10 MB')
})
