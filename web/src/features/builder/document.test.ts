import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addNode,
  connect,
  disconnect,
  freshId,
  type Graph,
  linkKey,
  linksOf,
  moveNodes,
  nodesOf,
  removeNodes,
  setInput,
} from './document'
import { begin, redo, step, undo } from './history'
import { laidOut } from './layout'

const graph: Graph = {
  name: 'Greeting',
  nodes: [
    { id: 'who', block: 'b1' },
    { id: 'greet', block: 'b2', inputs: { format: 'Hi' } },
  ],
  links: [{ from: 'who', out: 'result', to: 'greet', in: 'values_#_name' }],
}

test('a node takes its links with it', () => {
  expect(removeNodes(graph, new Set(['who']))).toMatchObject({ nodes: [{ id: 'greet' }], links: [] })
})

test('the same link is made once, and none from a node to itself', () => {
  const [link] = linksOf(graph)
  expect(connect(graph, link as NonNullable<typeof link>)).toBe(graph)
  expect(connect(graph, { from: 'who', out: 'a', to: 'who', in: 'b' })).toBe(graph)
})

test('an input is set and taken away without touching the others', () => {
  const set = setInput(graph, 'greet', 'escape', true)
  expect(nodesOf(set)[1]?.inputs).toEqual({ format: 'Hi', escape: true })
  expect(nodesOf(setInput(set, 'greet', 'format', undefined))[1]?.inputs).toEqual({ escape: true })
})

test('new nodes get names that nobody has', () => {
  expect(freshId(graph, 'Count words!')).toBe('count-words')
  expect(freshId(graph, 'Greet')).toBe('greet-2')
})

test('nodes without a place are laid out from left to right, and no place is taken twice', () => {
  const places = nodesOf(laidOut(graph, () => 80)).map((node) => node.position)
  expect(places).toEqual([
    [0, 0],
    [300, 0],
  ])
  const moved = moveNodes(graph, new Map([['who', [5, 5] as const]]))
  expect(laidOut(moved, () => 80)).toBe(moved)
})

const anyEdit = fc.oneof(
  fc.nat(9).map((n) => (now: Graph) => addNode(now, { id: freshId(now, `n${n}`), block: 'b' })),
  fc.nat(9).map((n) => (now: Graph) => removeNodes(now, new Set([nodesOf(now)[n]?.id ?? '']))),
  fc.tuple(fc.nat(9), fc.nat(9)).map(([a, b]) => (now: Graph) => {
    const [from, to] = [nodesOf(now)[a]?.id, nodesOf(now)[b]?.id]
    return from && to ? connect(now, { from, out: 'o', to, in: 'i' }) : now
  }),
  fc.nat(9).map((n) => (now: Graph) => {
    const link = linksOf(now)[n]
    return link ? disconnect(now, new Set([linkKey(link)])) : now
  }),
  fc.tuple(fc.nat(9), fc.jsonValue()).map(
    ([n, value]) =>
      (now: Graph) =>
        setInput(now, nodesOf(now)[n]?.id ?? '', 'p', value),
  ),
)

test('B5: undoing all of it is the start, redoing all of it is the end', () => {
  fc.assert(
    fc.property(fc.array(anyEdit, { maxLength: 60 }), (edits) => {
      let history = begin(graph)
      for (const edit of edits) history = step(history, edit(history.present))
      const end = history.present
      for (let n = 0; n < 200; n++) history = undo(history)
      expect(history.present).toEqual(graph)
      for (let n = 0; n < 200; n++) history = redo(history)
      expect(history.present).toEqual(end)
    }),
  )
})

test('B5: letters typed into one field are one step, and the next field is another', () => {
  let history = begin('')
  for (const typed of ['H', 'He', 'Hey']) history = step(history, typed, 'greet format')
  history = step(history, 'Hey!', 'greet name')
  expect(undo(history).present).toBe('Hey')
  expect(undo(undo(history)).present).toBe('')
})
