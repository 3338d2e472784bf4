import type { ReactFlowInstance } from '@xyflow/react'
import type { Place } from '../document'

/** The middle of what is seen of the canvas. */
export function middleOfView(flow: Pick<ReactFlowInstance, 'screenToFlowPosition'>): Place {
  const frame = document.querySelector('.builder-canvas')?.getBoundingClientRect()
  const { x, y } = flow.screenToFlowPosition({
    x: (frame?.left ?? 0) + (frame?.width ?? 600) / 2,
    y: (frame?.top ?? 0) + (frame?.height ?? 400) / 2,
  })
  return [Math.round(x / 20) * 20, Math.round(y / 20) * 20]
}
