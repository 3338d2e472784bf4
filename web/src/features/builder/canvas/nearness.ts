import type { FlowNode } from './drawing'

/** What is seen of the canvas, in its own measure, and how far away it is. */
export type Sight = { left: number; top: number; right: number; bottom: number; zoom: number }

const MARGIN = 100 // pixels around the frame where blocks are made before they are seen
const AT_ONCE = { zooming: 0, panning: 3, resting: 8 } // how many blocks a frame can make without being felt
const MOST = 160 // so many are kept while the hand is still moving

export type Pace = keyof typeof AT_ONCE

/**
 * The blocks that are elements next. A few are made at a time, first those nearest to the middle; while the view moves
 * only those in it, and none is taken away. A zoom passes over so many that none is made before it rests. The same set
 * when nothing changes.
 */
export function nextNear(
  now: ReadonlySet<string>,
  nodes: readonly FlowNode[],
  sight: Sight,
  pace: Pace,
): ReadonlySet<string> {
  if (pace === 'zooming' && now.size < MOST) return now
  const isMoving = pace !== 'resting'
  const room = MARGIN / sight.zoom
  const lacking = nodes
    .filter((node) => !now.has(node.id) && isIn(node, sight, isMoving ? 0 : room))
    .map((node) => ({ id: node.id, away: awayFromMiddle(node, sight) }))
    .toSorted((a, b) => a.away - b.away)
    .slice(0, AT_ONCE[pace])
  if (lacking.length > 0 && now.size < MOST) return new Set([...now, ...lacking.map(({ id }) => id)])
  if (isMoving && lacking.length === 0) return now
  const kept = nodes.filter((node) => now.has(node.id) && isIn(node, sight, 2 * room)).map(({ id }) => id)
  if (kept.length === now.size && lacking.length === 0) return now
  return new Set([...kept, ...lacking.map(({ id }) => id)])
}

function isIn({ position: { x, y }, width = 0, height = 0 }: FlowNode, sight: Sight, room: number): boolean {
  return (
    x <= sight.right + room &&
    y <= sight.bottom + room &&
    x + width >= sight.left - room &&
    y + height >= sight.top - room
  )
}

function awayFromMiddle({ position: { x, y }, width = 0, height = 0 }: FlowNode, sight: Sight): number {
  return Math.hypot(
    x + width / 2 - (sight.left + sight.right) / 2,
    y + height / 2 - (sight.top + sight.bottom) / 2,
  )
}
