import { expect, test } from 'vitest'
import index from '../../../../../src/pilothouse/blocks/index.json?raw'
import type { Graph } from '../document'
import { type Faces, withChild } from '../faces'
import { applied } from '../operations'
import type { Block } from '../pins'
import { updateOf } from './updating'

const blocks = JSON.parse(index) as Block[]
const byName = (name: string) => blocks.find((block) => block.name === name) as Block
const executor = blocks.find((block) => block.kind === 'agent') as Block

function child(version: number, takes: object, gives: object) {
  return {
    id: 'inner',
    version,
    active_version: version,
    name: 'Inner',
    input_schema: { type: 'object', properties: takes },
    output_schema: { type: 'object', properties: gives },
  }
}

const list = (items: object) => ({ type: 'array', items })
const older = child(
  1,
  { who: { type: 'string' }, gone: { type: 'string' } },
  { said: list({ type: 'string' }) },
)
const newer = child(
  2,
  { who: { type: 'boolean' }, other: { type: 'string' } },
  { said: list({ type: 'string' }) },
)
const graph: Graph = {
  nodes: [
    { id: 'made', block: byName('Create list').id, inputs: { values: [] } },
    { id: 'name', block: byName('Agent short text input').id, inputs: { name: 'name' } },
    { id: 'sub', block: executor.id, inputs: { graph_id: 'inner', graph_version: 1 } },
    { id: 'out', block: byName('Agent output').id, inputs: { name: 'said' } },
  ],
  links: [
    { from: 'made', out: 'list', to: 'sub', in: 'who' },
    { from: 'name', out: 'result', to: 'sub', in: 'gone' },
    { from: 'sub', out: 'said', to: 'out', in: 'value' },
  ],
}
const face = withChild(executor, older) // as the node shows itself now
const faces: Faces = (node) =>
  node.block === executor.id ? face : blocks.find(({ id }) => id === node.block)
const sub = graph.nodes?.find(({ id }) => id === 'sub')

test('B17: an update lists the links that have no pin any more and those whose values cannot be converted', () => {
  if (sub === undefined) throw new Error('no sub-agent')
  const { lost } = updateOf(graph, sub, withChild(face, newer), newer, faces)
  expect(lost.map((link) => `${link.from} to ${link.in}`)).toEqual(['made to who', 'name to gone'])
})

test('B17: an update pins the newer version and takes only those links away', () => {
  if (sub === undefined) throw new Error('no sub-agent')
  const { operations } = updateOf(graph, sub, withChild(face, newer), newer, faces)
  const after = applied(graph, operations)
  expect(after.links).toEqual([{ from: 'sub', out: 'said', to: 'out', in: 'value' }])
  expect(after.nodes?.find(({ id }) => id === 'sub')?.inputs?.graph_version).toBe(2)
})

test('B17: a version with the same pins takes nothing away', () => {
  if (sub === undefined) throw new Error('no sub-agent')
  const same = { ...older, version: 2, active_version: 2 }
  expect(updateOf(graph, sub, withChild(face, same), same, faces).lost).toEqual([])
})
