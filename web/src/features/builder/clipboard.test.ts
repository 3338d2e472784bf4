import { expect, test } from 'vitest'
import index from '../../../../src/pilothouse/blocks/index.json?raw'
import { copied, pasted, readClip } from './clipboard'
import { canonical, type Graph, linksOf, nodesOf } from './document'
import { applied } from './operations'
import type { Block } from './pins'

const blocks = new Map((JSON.parse(index) as Block[]).map((block) => [block.id, block]))
const id = (name: string) => [...blocks.values()].find((block) => block.name === name)?.id ?? ''

const graph: Graph = canonical({
  nodes: [
    {
      id: 'hook',
      block: id('Generic webhook trigger'),
      inputs: { secret_token: 'hush', constants: { a: 1 } },
    },
    {
      id: 'call',
      block: id('Send authenticated web request'),
      inputs: { url: 'https://example.com', credentials: { id: 'c1', title: 'Mine' } },
      position: [300, 40],
      policy: { timeout_s: 5 },
      optional_credentials: true,
    },
    { id: 'other', block: id('Note'), inputs: { text: 'beside' } },
  ],
  links: [
    { from: 'hook', out: 'payload', to: 'call', in: 'body' },
    { from: 'call', out: 'response', to: 'other', in: 'text' },
  ],
})

test('B6: nodes travel with the links between them, and no secret does', () => {
  const words = copied(graph, new Set(['hook', 'call']), blocks)
  expect(words).not.toMatch(/hush|"c1"|Mine/)
  const clip = readClip(words)
  expect(clip?.nodes.map((node) => node.id)).toEqual(['call', 'hook'])
  expect(clip?.links).toEqual([{ from: 'hook', out: 'payload', to: 'call', in: 'body' }])
})

test('B6: what is pasted gets new ids and keeps its shape, in the same agent or another', () => {
  const clip = readClip(copied(graph, new Set(['hook', 'call']), blocks))
  if (clip === null) throw new Error('no clip')
  for (const into of [graph, {} as Graph]) {
    const { operations, ids } = pasted(into, clip, blocks, [1000, 500])
    const after = applied(into, operations)
    expect(nodesOf(after).length).toBe(nodesOf(into).length + 2)
    expect(linksOf(after).length).toBe(linksOf(into).length + 1)
    const places = ids.map((one) => nodesOf(after).find((node) => node.id === one)?.position)
    expect(places).toEqual([
      [1300, 540],
      [1000, 500],
    ])
  }
})

test('B6: what is cut and pasted keeps its policy, and that it may run without credentials', () => {
  const clip = readClip(copied(graph, new Set(['call', 'hook']), blocks))
  if (clip === null) throw new Error('no clip')
  const cut = applied(graph, [
    { op: 'remove_node', node: 'call' },
    { op: 'remove_node', node: 'hook' },
  ])
  const back = applied(cut, pasted(cut, clip, blocks, [0, 0]).operations)
  const [call, hook] = ['call', 'hook'].map((one) => nodesOf(back).find((node) => node.id === one))
  expect(call).toMatchObject({ policy: { timeout_s: 5 }, optional_credentials: true })
  expect(hook).not.toHaveProperty('policy')
  expect(hook).not.toHaveProperty('optional_credentials')
})

test.each(['', 'hello', '{"format":"pilothouse.nodes/1"', '{"format":"other","nodes":[]}'])(
  'B6: %j is not what was copied here',
  (words) => {
    expect(readClip(words)).toBeNull()
  },
)
