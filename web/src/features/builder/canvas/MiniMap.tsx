import { useReactFlow, useStoreApi } from '@xyflow/react'
import { type PointerEvent, useEffect, useRef } from 'react'
import { say } from '@/kit/say'
import type { FlowNode } from './drawing'

const [WIDE, HIGH, MARGIN] = [180, 120, 6]

type Box = { x: number; y: number; width: number; height: number }
type Frame = { left: number; top: number; scale: number }

/** The whole agent in a corner. The blocks are one picture, painted when they change; what is seen moves above it. */
export function MiniMap({ nodes }: { nodes: readonly FlowNode[] }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const seen = useRef<HTMLDivElement>(null)
  const frame = useRef<Frame>({ left: 0, top: 0, scale: 0 })
  const store = useStoreApi()
  const flow = useReactFlow()

  useEffect(() => {
    const all = boxOf(nodes)
    let waiting = 0
    const draw = () => {
      waiting = 0
      const view = viewOf(store.getState())
      const next = framed(all, view)
      if (canvas.current && !same(next, frame.current)) paintBlocks(canvas.current, nodes, next)
      frame.current = next
      if (seen.current) place(seen.current, view, next)
    }
    const stop = store.subscribe((now, before) => {
      if (now.transform === before.transform && now.width === before.width && now.height === before.height)
        return
      if (waiting === 0) waiting = requestAnimationFrame(draw)
    })
    frame.current = { left: 0, top: 0, scale: 0 } // the blocks changed: paint them whatever the frame
    waiting = requestAnimationFrame(draw)
    return () => {
      stop()
      cancelAnimationFrame(waiting)
    }
  }, [store, nodes])

  function go(event: PointerEvent<HTMLElement>) {
    if (event.buttons !== 1) return
    const box = event.currentTarget.getBoundingClientRect()
    const { left, top, scale } = frame.current
    const x = left + (event.clientX - box.left - MARGIN) / scale
    const y = top + (event.clientY - box.top - MARGIN) / scale
    void flow.setCenter(x, y, { zoom: flow.getZoom() })
  }

  return (
    <div
      className="mini-map"
      role="img"
      aria-label={say('canvas.map')}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        go(event)
      }}
      onPointerMove={go}
    >
      <canvas ref={canvas} />
      <div ref={seen} className="mini-map-view" />
    </div>
  )
}

type Stored = { transform: readonly [number, number, number]; width: number; height: number }

function viewOf({ transform: [x, y, zoom], width, height }: Stored): Box {
  return { x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom }
}

function boxOf(nodes: readonly FlowNode[]): Box | null {
  if (nodes.length === 0) return null
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { position, width = 200, height = 80 } of nodes) {
    left = Math.min(left, position.x)
    top = Math.min(top, position.y)
    right = Math.max(right, position.x + width)
    bottom = Math.max(bottom, position.y + height)
  }
  return { x: left, y: top, width: right - left, height: bottom - top }
}

/** All of the agent and all that is seen of it fit into the corner. */
function framed(all: Box | null, view: Box): Frame {
  const boxes = all === null ? [view] : [view, all]
  const left = Math.min(...boxes.map(({ x }) => x))
  const top = Math.min(...boxes.map(({ y }) => y))
  const wide = Math.max(...boxes.map(({ x, width }) => x + width)) - left
  const high = Math.max(...boxes.map(({ y, height }) => y + height)) - top
  return { left, top, scale: Math.min((WIDE - 2 * MARGIN) / (wide || 1), (HIGH - 2 * MARGIN) / (high || 1)) }
}

function same(a: Frame, b: Frame): boolean {
  return a.left === b.left && a.top === b.top && a.scale === b.scale
}

function put({ x, y, width, height }: Box, { left, top, scale }: Frame) {
  return [
    MARGIN + (x - left) * scale,
    MARGIN + (y - top) * scale,
    Math.max(2, width * scale),
    Math.max(2, height * scale),
  ] as const
}

function place(seen: HTMLElement, view: Box, frame: Frame): void {
  const [x, y, width, height] = put(view, frame)
  seen.style.transform = `translate(${x}px, ${y}px)`
  seen.style.width = `${width}px`
  seen.style.height = `${height}px`
}

function paintBlocks(canvas: HTMLCanvasElement, nodes: readonly FlowNode[], frame: Frame): void {
  const sharp = devicePixelRatio || 1
  if (canvas.width !== WIDE * sharp) [canvas.width, canvas.height] = [WIDE * sharp, HIGH * sharp]
  const paint = canvas.getContext('2d')
  if (paint === null) return
  const { color, accentColor } = getComputedStyle(canvas) // once: each reading of a style costs
  paint.setTransform(sharp, 0, 0, sharp, 0, 0)
  paint.clearRect(0, 0, WIDE, HIGH)
  for (const { position, width = 200, height = 80, selected } of nodes) {
    paint.fillStyle = selected ? accentColor : color
    paint.fillRect(...put({ ...position, width, height }, frame))
  }
}
