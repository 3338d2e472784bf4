import fc from 'fast-check'
import { expect, test } from 'vitest'
import served from '../../../../tests/graph/web_cases.json?raw'
import { between } from './between'
import { canonical, freshId, type Graph, linkKey, linksOf, nodesOf, sameGraph } from './document'
import { begin, type History, redo, settled, step, undo } from './history'
import { applied, type Operation, OperationRefused } from './operations'

const graph: Graph = canonical({
  name: 'Greeting',
  nodes: [
    { id: 'who', block: 'b1' },
    { id: 'greet', block: 'b2', inputs: { format: 'Hi' } },
  ],
  links: [{ from: 'who', out: 'result', to: 'greet', in: 'values_#_name' }],
})

type Case = { start: Graph; ops: Operation[]; end: Graph; refused: string | null }
const cases = (JSON.parse(served) as { edits: Case[] }).edits

test.each(cases.map((one, index) => [index, one] as const))(
  'B5: edit %i ends here as it ends on the server',
  (_, { start, ops, end, refused }) => {
    let now = canonical(start)
    let code: string | null = null
    for (const operation of ops) {
      try {
        now = applied(now, [operation])
      } catch (problem) {
        if (!(problem instanceof OperationRefused)) throw problem
        code = problem.code
      }
    }
    expect(now).toEqual({ ...canonical(end), ...(end.nodes ? {} : { nodes: [] }) })
    expect(code).toBe(refused)
    expect(sameGraph(applied(canonical(start), between(canonical(start), now)), now)).toBe(true)
  },
)

test('a node takes its links with it', () => {
  expect(applied(graph, [{ op: 'remove_node', node: 'who' }])).toMatchObject({
    nodes: [{ id: 'greet' }],
    links: [],
  })
})

test('an input is set and taken away without touching the others, and other nodes stay what they were', () => {
  const set = applied(graph, [{ op: 'set_input', node: 'greet', field: ['escape'], value: true }])
  expect(nodesOf(set)[0]?.inputs).toEqual({ format: 'Hi', escape: true })
  expect(nodesOf(set)[1]).toBe(nodesOf(graph)[1])
  const gone = applied(set, [{ op: 'unset_input', node: 'greet', field: ['format'] }])
  expect(nodesOf(gone)[0]?.inputs).toEqual({ escape: true })
})

test('new nodes get names that nobody has', () => {
  expect(freshId(graph, 'Count words!')).toBe('count-words')
  expect(freshId(graph, 'Greet')).toBe('greet-2')
  expect(freshId(graph, 'Greet', new Set(['greet-2']))).toBe('greet-3')
})

test('what is done and done back is the same graph, in whatever order it is written', () => {
  const turned = { ...graph, nodes: nodesOf(graph).toReversed() }
  expect(sameGraph(graph, turned)).toBe(true)
  expect(
    sameGraph(graph, applied(graph, [{ op: 'set_input', node: 'who', field: ['a'], value: null }])),
  ).toBe(false)
})

/** An edit chosen by numbers, so that it fits whatever graph it meets. */
type Choice = [kind: number, a: number, b: number, value: fc.JsonValue]

function edit(now: Graph, [kind, a, b, value]: Choice): Operation[] {
  const nodes = nodesOf(now)
  const [one, other] = [nodes[a % Math.max(1, nodes.length)], nodes[b % Math.max(1, nodes.length)]]
  const id = freshId(now, `n${a}`)
  if (one === undefined || other === undefined || kind === 0) {
    return [{ op: 'add_node', id, block: `b${b}`, position: [a, b], inputs: { p: value } }]
  }
  const link = linksOf(now)[a % Math.max(1, linksOf(now).length)]
  const ends = { from: one.id, out: 'o', to: other.id, in: `i${a % 3}` }
  const isThere = linksOf(now).some((known) => linkKey(known) === linkKey(ends))
  const edits: Operation[][] = [
    [{ op: 'remove_node', node: one.id }],
    isThere ? [{ op: 'disconnect', ...ends }] : [{ op: 'connect', ...ends, static: b % 2 === 0 }],
    link ? [{ op: 'disconnect', from: link.from, out: link.out, to: link.to, in: link.in }] : [],
    [{ op: 'set_input', node: one.id, field: ['p'], value }],
    one.inputs?.p === undefined ? [] : [{ op: 'unset_input', node: one.id, field: ['p'] }],
    nodes.map((node, index) => ({ op: 'move_node', node: node.id, position: [a * index, b] })),
    [{ op: 'rename_node', node: one.id, name: `Name ${b % 4}` }],
    [{ op: 'update_node', node: one.id, patch: { policy: { timeout_s: (b % 9) + 1 } } }],
    [{ op: 'set_name', value: b % 2 ? '' : `Agent ${a}` }],
  ]
  return edits[kind % edits.length] ?? []
}

const choices = fc.array(fc.tuple(fc.nat(9), fc.nat(40), fc.nat(40), fc.jsonValue()), { maxLength: 200 })

function replayed(picked: readonly Choice[], mark: (choice: Choice) => string | null): History {
  return picked.reduce((now, one) => step(now, edit(now.present, one), mark(one)), begin(graph))
}

test('B5 and scenario 21: 200 operations undone are the start, done again they are the end', () => {
  fc.assert(
    fc.property(choices, fc.boolean(), (picked, marked) => {
      let history = replayed(picked, ([kind, a]) => (marked && kind === 4 ? `field ${a % 2}` : null))
      const end = history.present
      const steps = history.past.length
      for (let n = 0; n < steps; n++) history = undo(history)
      expect(history.past).toEqual([])
      expect(sameGraph(history.present, graph)).toBe(true)
      for (let n = 0; n < steps; n++) history = redo(history)
      expect(history.present).toEqual(end)
    }),
    { numRuns: 40 },
  )
})

test('B5: at least a hundred steps are kept', () => {
  let history = begin(graph)
  for (let n = 0; n < 150; n++) {
    history = step(history, [{ op: 'set_input', node: 'who', field: ['n'], value: n }])
  }
  expect(history.past.length).toBeGreaterThanOrEqual(100)
})

test('B5: letters typed into one field are one step, and the next field is another', () => {
  const type = (now: History, pin: string, value: string) =>
    step(now, [{ op: 'set_input', node: 'greet', field: [pin], value }], `greet ${pin}`)
  let history = begin(graph)
  for (const typed of ['H', 'He', 'Hey']) history = type(history, 'format', typed)
  history = type(history, 'name', 'You')
  expect(nodesOf(undo(history).present)[0]?.inputs).toEqual({ format: 'Hey' })
  expect(undo(undo(history)).present).toEqual(graph)
})

test('B5: typing that ends where it began is no step', () => {
  let history = begin(graph)
  for (const value of ['Hix', 'Hi']) {
    history = step(history, [{ op: 'set_input', node: 'greet', field: ['format'], value }], 'greet format')
  }
  expect(history.past).toEqual([])
})

test('what the server stored takes the place of what was sent, and the steps stay', () => {
  const history = step(begin(graph), [{ op: 'rename_node', node: 'who', name: 'Who' }])
  const stored = canonical(JSON.parse(JSON.stringify({ ...history.present, description: 'By the server' })))
  const after = settled(history, stored, history.present)
  expect(nodesOf(after.present)[0]).toBe(nodesOf(history.present)[0])
  expect(undo(after).present).toMatchObject({ description: 'By the server', nodes: nodesOf(graph) })
})

test('what is edited while a save is under way stays, is yet to be saved, and can be undone', () => {
  const sent = step(begin(graph), [{ op: 'rename_node', node: 'who', name: 'Who' }])
  const stored = canonical(JSON.parse(JSON.stringify({ ...sent.present, description: 'By the server' })))
  let history = step(sent, [{ op: 'add_node', id: 'late', block: 'b3', position: [40, 0] }])
  history = step(history, [{ op: 'connect', from: 'greet', out: 'output', to: 'late', in: 'value' }])

  history = settled(history, stored, sent.present)
  expect(nodesOf(history.present).map(({ id }) => id)).toEqual(['greet', 'late', 'who'])
  expect(linksOf(history.present)).toHaveLength(2)
  expect(history.present.description).toBe('By the server')
  expect(sameGraph(history.present, stored)).toBe(false)

  history = undo(undo(history))
  expect(sameGraph(history.present, stored)).toBe(true)
  expect(sameGraph(undo(history).present, { ...graph, description: 'By the server' })).toBe(true)
  expect(nodesOf(redo(history).present)).toHaveLength(3)
})

test('a step taken back while a save is under way is yet to be saved', () => {
  const sent = step(begin(graph), [{ op: 'rename_node', node: 'who', name: 'Who' }])
  const history = settled(undo(sent), sent.present, sent.present)
  expect(sameGraph(history.present, graph)).toBe(true)
  expect(sameGraph(redo(history).present, sent.present)).toBe(true)
})

test('an edit that does not fit what the server made of the graph is kept as it was', () => {
  const sent = begin(graph)
  const edited = step(sent, [{ op: 'unset_input', node: 'greet', field: ['format'] }])
  const stored = applied(graph, [{ op: 'remove_node', node: 'greet' }])
  expect(settled(edited, stored, sent.present).present).toEqual(edited.present)
})
