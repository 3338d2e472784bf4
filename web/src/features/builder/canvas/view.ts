import type { ReactFlowInstance } from '@xyflow/react'
import type { FlowNode } from './drawing'

const PADDING = 0.06

/** Show all of it, but nothing larger than it is. */
export function fitAll(
  flow: Pick<ReactFlowInstance, 'setViewport'>,
  nodes: readonly FlowNode[],
  frame: Element | null,
): void {
  const view = viewOf(nodes, frame?.clientWidth ?? 800, frame?.clientHeight ?? 600)
  if (view !== null) void flow.setViewport(view)
}

function viewOf(nodes: readonly FlowNode[], width: number, height: number) {
  if (nodes.length === 0) return null
  const left = Math.min(...nodes.map((node) => node.position.x))
  const top = Math.min(...nodes.map((node) => node.position.y))
  const wide = Math.max(...nodes.map((node) => node.position.x + (node.width ?? 0))) - left
  const high = Math.max(...nodes.map((node) => node.position.y + (node.height ?? 0))) - top
  const room = 1 - 2 * PADDING
  const zoom = Math.max(0.02, Math.min(1, (width * room) / (wide || 1), (height * room) / (high || 1)))
  return { x: width / 2 - (left + wide / 2) * zoom, y: height / 2 - (top + high / 2) * zoom, zoom }
}

/** The node under a point of the canvas, the topmost first. */
export function nodeAt(nodes: readonly FlowNode[], { x, y }: { x: number; y: number }): FlowNode | undefined {
  return nodes.findLast(
    ({ position, width = 0, height = 0 }) =>
      x >= position.x && x <= position.x + width && y >= position.y && y <= position.y + height,
  )
}
