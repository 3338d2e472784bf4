import { expect, test } from 'vitest'
import type { Graph } from '../document'
import { difference, marked } from './difference'

const before: Graph = {
  name: 'Greeting',
  nodes: [
    { id: 'a', block: 'text', inputs: { words: 'hello', limit: 1 } },
    { id: 'b', block: 'send', position: [10, 10] },
    { id: 'c', block: 'gone' },
  ],
  links: [
    { from: 'a', out: 'text', to: 'b', in: 'text' },
    { from: 'a', out: 'text', to: 'c', in: 'text' },
  ],
}
const after: Graph = {
  name: 'Welcome',
  nodes: [
    { id: 'a', block: 'text', inputs: { words: 'good day', mode: 'safe' } },
    { id: 'b', block: 'send', position: [90, 90] },
    { id: 'd', block: 'new' },
  ],
  links: [
    { from: 'a', out: 'text', to: 'b', in: 'text' },
    { from: 'b', out: 'sent', to: 'd', in: 'text' },
  ],
}

test('B11: every block and link of either side is marked once; a block that only moved is the same', () => {
  const { nodes, links } = marked(before, after)
  expect(nodes.map(({ node, mark, changed }) => [node.id, mark, changed])).toEqual([
    ['a', 'changed', ['limit', 'mode', 'words']],
    ['b', 'same', []],
    ['d', 'added', []],
    ['c', 'removed', []],
  ])
  expect(links.map(({ link, mark }) => [link.from, link.to, mark])).toEqual([
    ['a', 'b', 'same'],
    ['b', 'd', 'added'],
    ['a', 'c', 'removed'],
  ])
})

test('B10: what differs is told in the shape that the server uses', () => {
  expect(difference(before, after)).toEqual({
    metadata: { name: { from: 'Greeting', to: 'Welcome' } },
    nodes: {
      added: [{ id: 'd', block: 'new' }],
      removed: [{ id: 'c', block: 'gone' }],
      changed: {
        a: { inputs: { limit: { from: 1 }, mode: { to: 'safe' }, words: { from: 'hello', to: 'good day' } } },
      },
    },
    links: {
      added: [{ from: 'b', out: 'sent', to: 'd', in: 'text' }],
      removed: [{ from: 'a', out: 'text', to: 'c', in: 'text' }],
    },
  })
})

test('graphs that say the same have no difference, whatever the order of keys', () => {
  const nodes = [{ id: 'a', block: 'text', inputs: { table: { y: 2, x: 1 } } }]
  const turned = [{ id: 'a', block: 'text', name: '', inputs: { table: { x: 1, y: 2 } } }]
  expect(difference({ nodes, links: [] }, { nodes: turned, links: [] })).toEqual({})
})
