import { expect, test } from 'vitest'
import { changesIn } from './changes'

test('B11: every part of a difference is told, in an order that people read', () => {
  const diff = {
    metadata: { name: { from: 'Old', to: 'New' } },
    nodes: {
      added: [{ id: 'd' }],
      removed: [{ id: 'c' }],
      changed: { a: { name: { from: '', to: 'Get' }, inputs: { limit: { from: 1 }, mode: { to: 'safe' } } } },
    },
    links: {
      added: [{ from: 'a', out: 'text', to: 'd', in: 'url' }],
      removed: [{ from: 'a', out: 'text', to: 'c', in: 'url' }],
    },
  }
  expect(changesIn(diff)).toEqual([
    { kind: 'other', what: 'name', from: 'Old', to: 'New' },
    { kind: 'less', what: 'block c', from: null, to: null },
    { kind: 'more', what: 'block d', from: null, to: null },
    { kind: 'other', what: 'a, name', from: '', to: 'Get' },
    { kind: 'other', what: 'a, limit', from: '1', to: null },
    { kind: 'other', what: 'a, mode', from: null, to: 'safe' },
    { kind: 'less', what: 'link a, text to c, url', from: null, to: null },
    { kind: 'more', what: 'link a, text to d, url', from: null, to: null },
  ])
})

test('no difference, or something that is none, tells nothing', () => {
  expect([{}, null, undefined, 'x', []].flatMap(changesIn)).toEqual([])
})
