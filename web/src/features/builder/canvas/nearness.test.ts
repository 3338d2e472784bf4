import { expect, test } from 'vitest'
import type { FlowNode } from './drawing'
import { nextNear, type Pace, type Sight } from './nearness'

const COLUMNS = 40
const nodes = Array.from(
  { length: 1_000 },
  (_, nth) =>
    ({
      id: `n${nth}`,
      position: { x: (nth % COLUMNS) * 380, y: Math.floor(nth / COLUMNS) * 260 },
      width: 272,
      height: 150,
    }) as FlowNode,
)
const sight: Sight = { left: 3_800, top: 2_600, right: 4_900, bottom: 3_400, zoom: 1 }

function visible({ position: { x, y }, width = 0, height = 0 }: FlowNode): boolean {
  return x <= sight.right && y <= sight.bottom && x + width >= sight.left && y + height >= sight.top
}

function settled(from: ReadonlySet<string>, pace: Pace): { near: ReadonlySet<string>; most: number } {
  let near = from
  let most = 0
  for (let frame = 0; frame < 500; frame++) {
    const next = nextNear(near, nodes, sight, pace)
    if (next === near) return { near, most }
    most = Math.max(most, [...next].filter((id) => !near.has(id)).length)
    near = next
  }
  throw new Error('never at rest')
}

test('B19: of a thousand blocks those in sight become elements, a few in each frame', () => {
  const { near, most } = settled(new Set(), 'resting')
  for (const node of nodes.filter(visible)) expect(near).toContain(node.id)
  expect(near.size).toBeLessThan(60)
  expect(most).toBeLessThanOrEqual(8)
})

test('B19: while the view moves only what is in it is made, fewer at a time, and nothing is taken away', () => {
  const { near, most } = settled(new Set(['n0']), 'panning')
  expect(near).toEqual(new Set(['n0', ...nodes.filter(visible).map(({ id }) => id)]))
  expect(most).toBeLessThanOrEqual(3)
})

test('B19: a zoom makes nothing before it rests', () => {
  const before = new Set(['n0'])
  expect(nextNear(before, nodes, sight, 'zooming')).toBe(before)
})

test('B19: at rest what is far out of sight is given up, and what is near begins at the middle', () => {
  expect(settled(new Set(['n0', 'n999']), 'resting').near).not.toContain('n0')
  const [first] = nextNear(new Set(), nodes, sight, 'panning')
  expect(first).toBe('n451') // the third row and column of what is seen
})

test('B19: a hand that never rests does not pile up elements', () => {
  const passed = new Set(nodes.slice(0, 400).map(({ id }) => id))
  expect(nextNear(passed, nodes, sight, 'panning').size).toBeLessThan(160)
})
