import type { NodeChange } from '@xyflow/react'
import { expect, test } from 'vitest'
import type { Graph } from '../document'
import { begin, step, undo } from '../history'
import type { FlowNode } from './drawing'
import { isHeld, markOf, movesIn } from './moving'

const graph: Graph = { nodes: [{ id: 'a', block: 'b' }], links: [] }

const moved = (id: string, x: number, dragging: boolean): NodeChange<FlowNode> => ({
  id,
  type: 'position',
  position: { x, y: 0.4 },
  dragging,
})

test('B1: a block that an arrow key moves, or that is let go, moves in the document', () => {
  const [move] = movesIn([moved('a', 19.6, false)], graph)
  expect(move).toEqual({ op: 'move_node', node: 'a', position: [20, 0] })
})

test('B1: on the way nothing is moved in the document', () => {
  const changes = [moved('a', 20, true), { id: 'a', type: 'select', selected: true } as const]
  expect(movesIn(changes, graph)).toEqual([])
  expect(isHeld(changes)).toBe(true)
})

test('B1: a block that was deleted while it was dragged moves no more', () => {
  expect(movesIn([moved('gone', 20, false)], graph)).toEqual([])
})

test('B5: arrow keys one after the other are one step', () => {
  let history = begin(graph)
  for (const x of [20, 40, 60]) {
    const moves = movesIn([moved('a', x, false)], history.present)
    history = step(history, moves, markOf(moves))
  }
  expect(history.past).toHaveLength(1)
  expect(undo(history).present).toEqual(graph)
})
