import type { NodeHandle } from '@xyflow/react'
import { Position } from '@xyflow/react'
import type { Node } from '../document'
import type { Block, Pins } from '../pins'

/** Every node's size follows from its pins, so the browser never has to measure a thousand of them. */
export const WIDTH = 272
export const HEAD = 34
export const ROW = 22
const PAD = 6
const FOOT = 24
const DOT = 10

export type Size = { width: number; height: number }

export function sizeOf(node: Node, block: Block | undefined, pins: Pins): Size {
  if (block?.kind === 'note') return noteSize(node)
  return { width: WIDTH, height: heightOf(pins) }
}

export function heightOf(pins: Pins): number {
  return HEAD + 2 * PAD + ROW * Math.max(1, pins.inputs.length, pins.outputs.length) + FOOT
}

function noteSize(node: Node): Size {
  const words = typeof node.inputs?.text === 'string' ? node.inputs.text : ''
  const lines = words.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 36)), 0)
  return { width: WIDTH, height: Math.min(420, Math.max(80, 28 + lines * 22)) }
}

/** Where the dots are, so that links can be drawn to nodes that are not. */
export function handlesOf(pins: Pins): NodeHandle[] {
  const top = (row: number) => HEAD + PAD + row * ROW + (ROW - DOT) / 2
  const dot = { width: DOT, height: DOT }
  return [
    ...pins.inputs.map(
      (pin, row): NodeHandle => ({
        ...dot,
        id: pin.name,
        type: 'target',
        position: Position.Left,
        x: -DOT / 2,
        y: top(row),
      }),
    ),
    ...pins.outputs.map(
      (pin, row): NodeHandle => ({
        ...dot,
        id: pin.name,
        type: 'source',
        position: Position.Right,
        x: WIDTH - DOT / 2,
        y: top(row),
      }),
    ),
  ]
}
