import { useReactFlow, useStoreApi } from '@xyflow/react'
import { type PointerEvent, useEffect, useRef } from 'react'
import { say } from '@/kit/say'
import { useBoard } from './board'
import type { FlowNode } from './drawing'

const [WIDE, HIGH, MARGIN] = [180, 120, 6]

type Frame = { left: number; top: number; scale: number }

/** The whole agent in a corner: one picture, painted only when blocks move or the view does. */
export function MiniMap() {
  const canvas = useRef<HTMLCanvasElement>(null)
  const frame = useRef<Frame>({ left: 0, top: 0, scale: 1 })
  const store = useStoreApi()
  const board = useBoard()
  const flow = useReactFlow()

  useEffect(() => {
    let waiting = 0
    const paint = () => {
      waiting = 0
      const { transform, width, height } = store.getState()
      if (canvas.current) frame.current = painted(canvas.current, board.nodes, transform, { width, height })
    }
    const soon = () => {
      if (waiting === 0) waiting = requestAnimationFrame(paint)
    }
    soon()
    const stop = store.subscribe(soon)
    return () => {
      stop()
      cancelAnimationFrame(waiting)
    }
  }, [store, board])

  function go(event: PointerEvent<HTMLCanvasElement>) {
    if (event.buttons !== 1) return
    const box = event.currentTarget.getBoundingClientRect()
    const { left, top, scale } = frame.current
    const x = left + (event.clientX - box.left - MARGIN) / scale
    const y = top + (event.clientY - box.top - MARGIN) / scale
    void flow.setCenter(x, y, { zoom: flow.getZoom() })
  }

  return (
    <canvas
      ref={canvas}
      className="mini-map"
      role="img"
      aria-label={say('canvas.map')}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        go(event)
      }}
      onPointerMove={go}
    />
  )
}

function painted(
  canvas: HTMLCanvasElement,
  nodes: readonly FlowNode[],
  [x, y, zoom]: readonly [number, number, number],
  seen: { width: number; height: number },
): Frame {
  const view = { x: -x / zoom, y: -y / zoom, width: seen.width / zoom, height: seen.height / zoom }
  const frame = framed(nodes, view)
  const sharp = devicePixelRatio || 1
  if (canvas.width !== WIDE * sharp) [canvas.width, canvas.height] = [WIDE * sharp, HIGH * sharp]
  const paint = canvas.getContext('2d')
  if (paint === null) return frame
  const style = getComputedStyle(canvas)
  paint.setTransform(sharp, 0, 0, sharp, 0, 0)
  paint.clearRect(0, 0, WIDE, HIGH)
  const put = (left: number, top: number, width: number, height: number) =>
    [
      MARGIN + (left - frame.left) * frame.scale,
      MARGIN + (top - frame.top) * frame.scale,
      Math.max(2, width * frame.scale),
      Math.max(2, height * frame.scale),
    ] as const
  for (const node of nodes) {
    paint.fillStyle = node.selected ? style.accentColor : style.color
    paint.fillRect(...put(node.position.x, node.position.y, node.width ?? 200, node.height ?? 80))
  }
  paint.strokeStyle = style.accentColor
  paint.lineWidth = 1.5
  paint.strokeRect(...put(view.x, view.y, view.width, view.height))
  return frame
}

type Box = { x: number; y: number; width: number; height: number }

/** All of the agent and all that is seen of it fit into the corner. */
function framed(nodes: readonly FlowNode[], view: Box): Frame {
  let [left, top, right, bottom] = [view.x, view.y, view.x + view.width, view.y + view.height]
  for (const { position, width = 200, height = 80 } of nodes) {
    left = Math.min(left, position.x)
    top = Math.min(top, position.y)
    right = Math.max(right, position.x + width)
    bottom = Math.max(bottom, position.y + height)
  }
  const scale = Math.min((WIDE - 2 * MARGIN) / (right - left || 1), (HIGH - 2 * MARGIN) / (bottom - top || 1))
  return { left, top, scale }
}
