import { expect, test } from 'vitest'
import index from '../../../../../src/pilothouse/blocks/index.json?raw'
import served from '../../../../../tests/graph/web_cases.json?raw'
import type { Graph } from '../document'
import type { Block } from '../pins'
import { checked } from './checks'
import { ADVICE_CODES, marksOf, ofLink, SAVE_CODES, told } from './problem'
import { joined } from './useProblems'

const codes = JSON.parse(served) as { save_codes: string[]; advice_codes: string[] }
const blocks = new Map((JSON.parse(index) as Block[]).map((block) => [block.name, block]))
const byId = new Map([...blocks.values()].map((block) => [block.id, block]))
const id = (name: string) => blocks.get(name)?.id ?? ''
const found = (graph: Graph) =>
  checked(graph, (node) => byId.get(node.block)).map(({ nodeId, field, code }) => [nodeId, field, code])

test('B9: what blocks saving and what blocks nothing is what the server says', () => {
  expect([...SAVE_CODES].sort()).toEqual(codes.save_codes)
  expect([...ADVICE_CODES].sort()).toEqual(codes.advice_codes)
})

test('B9: a needed input without value or link is seen at once, and a link fills it', () => {
  const nodes = [
    { id: 'who', block: id('Agent short text input'), inputs: { name: 'who' } },
    { id: 'greet', block: id('Fill text template'), inputs: { values: {} } },
  ]
  expect(found({ nodes })).toEqual([['greet', 'format', 'required']])
  expect(found({ nodes, links: [{ from: 'who', out: 'result', to: 'greet', in: 'format' }] })).toEqual([])
})

test('B9: names, notes, unknown blocks and unknown pins are seen at once', () => {
  const nodes = [
    { id: 'in', block: id('Agent short text input') },
    { id: 'note', block: id('Note') },
    { id: 'odd', block: '00000000-0000-4000-8000-00000000dead' },
    { id: 'calc', block: id('Reverse list order'), inputs: { input_list: [] } },
  ]
  const links = [
    { from: 'in', out: 'result', to: 'note', in: 'text' },
    { from: 'in', out: 'nothing', to: 'calc', in: 'nowhere' },
  ]
  expect(found({ nodes, links })).toEqual([
    ['in', 'name', 'name_missing'],
    ['odd', 'block', 'unknown_block'],
    ['note', 'links', 'note_linked'],
    ['calc', 'nowhere', 'unknown_out_pin'],
    ['calc', 'nowhere', 'unknown_in_pin'],
  ])
})

test('B9: a fault inside a sub-agent marks the node that holds it, and the worst one counts', () => {
  const issue = { field: 'f', link: null, message: 'm', severity: 'error' as const }
  const problems = [
    told({ ...issue, node_id: 'sub/inner', code: 'required' }),
    told({ ...issue, node_id: 'sub', code: 'likely_lossy' }),
    told({ ...issue, node_id: 'a', code: 'unreachable' }),
  ]
  expect(marksOf(problems)).toEqual(
    new Map([
      ['sub', 'error'],
      ['a', 'warning'],
    ]),
  )
})

test('B9: a fault at either end of a link stands at the input that it goes into, and names the link', () => {
  const link = { from: 'a', out: 'result_#_', to: 'b', in: 'values' }
  const issue = { link, code: 'bad_pin_path', message: 'm', severity: 'error' as const }
  const stands = { nodeId: 'b', field: 'values', link: 'a.result_#_>b.values' }
  expect(told({ ...issue, node_id: 'a', field: 'result_#_' })).toMatchObject(stands)
  expect(told({ ...issue, node_id: 'b', field: 'values' })).toMatchObject(stands)
  expect(told({ ...issue, node_id: 'a', field: 'links' })).toMatchObject({ nodeId: 'a', link: null })
  expect(told({ ...issue, node_id: 'sub/b', field: 'values' })).toMatchObject({ nodeId: 'sub', link: null })
})

test('B9: until the server answers again, what it said of a link that is gone counts no more', () => {
  const nodes = [{ id: 'a', block: 'x' }]
  const link = { from: 'a', out: 'result', to: 'a', in: 'values' }
  const problems = [ofLink(link, 'bad_pin_path', 'm')]
  const report = { graph: { nodes, links: [link] }, problems }
  expect(joined({ nodes, links: [link] }, [], report)).toEqual(problems)
  expect(joined({ nodes, links: [] }, [], report)).toEqual([])
})
