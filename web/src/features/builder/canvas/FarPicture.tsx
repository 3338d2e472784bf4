import { useStoreApi } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import type { Link } from '../document'
import { useLiveNodes } from '../run/live'
import type { LiveNodes } from '../run/nodes'
import { FAR } from './BlockNode'
import { type Board, useBoard } from './board'
import type { FlowNode } from './drawing'

type Props = { nodes: readonly FlowNode[]; links: readonly Link[] }
type Signs = { board: Board; live: LiveNodes | null }
type Seen = { left: number; top: number; right: number; bottom: number }
type Colours = {
  ink: string
  line: string
  raised: string
  accent: string
  bad: string
  warn: string
  good: string
  wire: string
}

/** Many blocks from far away: one painted picture instead of thousands of elements. */
export function FarPicture({ nodes, links }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const store = useStoreApi()
  const board = useBoard()
  const live = useLiveNodes()

  useEffect(() => {
    let waiting = 0
    const wires = wiresOf(nodes, links)
    const paint = () => {
      waiting = 0
      const { transform, width, height } = store.getState()
      if (canvas.current) painted(canvas.current, nodes, wires, transform, { width, height }, { board, live })
    }
    const soon = () => {
      if (waiting === 0) waiting = requestAnimationFrame(paint)
    }
    paint()
    const stops = [
      store.subscribe(soon),
      live?.lookAll(soon) ?? (() => undefined),
      board.marks.watchAll(soon),
    ]
    return () => {
      for (const stop of stops) stop()
      cancelAnimationFrame(waiting)
    }
  }, [nodes, links, store, board, live])

  return <canvas ref={canvas} className="far-picture" />
}

/** Each link as the two points between which it runs. */
function wiresOf(nodes: readonly FlowNode[], links: readonly Link[]): Float64Array {
  const ends = new Map<string, { x: number; y: number }>()
  for (const { id, position, handles } of nodes) {
    for (const { id: pin, type, x, y, width = 0, height = 0 } of handles ?? []) {
      ends.set(`${id} ${type} ${pin}`, {
        x: position.x + x + (type === 'source' ? width : 0),
        y: position.y + y + height / 2,
      })
    }
  }
  const points: number[] = []
  for (const link of links) {
    const [from, to] = [ends.get(`${link.from} source ${link.out}`), ends.get(`${link.to} target ${link.in}`)]
    if (from && to) points.push(from.x, from.y, to.x, to.y)
  }
  return new Float64Array(points)
}

function painted(
  canvas: HTMLCanvasElement,
  nodes: readonly FlowNode[],
  wires: Float64Array,
  [x, y, zoom]: readonly [number, number, number],
  { width, height }: { width: number; height: number },
  signs: Signs,
): void {
  const sharp = devicePixelRatio || 1
  if (canvas.width !== width * sharp || canvas.height !== height * sharp) {
    ;[canvas.width, canvas.height] = [width * sharp, height * sharp]
  }
  const paint = canvas.getContext('2d')
  if (paint === null) return
  const colours = coloursOf(canvas)
  paint.setTransform(1, 0, 0, 1, 0, 0)
  paint.clearRect(0, 0, canvas.width, canvas.height)
  paint.setTransform(zoom * sharp, 0, 0, zoom * sharp, x * sharp, y * sharp)
  const seen = { left: -x / zoom, top: -y / zoom, right: (width - x) / zoom, bottom: (height - y) / zoom }
  drawWires(paint, wires, colours, zoom, seen)
  paint.font = `600 ${zoom < FAR ? 30 : 13}px system-ui, sans-serif`
  paint.textBaseline = 'middle'
  for (const node of nodes) {
    const { position, width: wide = 0, height: high = 0 } = node
    if (position.x > seen.right || position.y > seen.bottom) continue
    if (position.x + wide < seen.left || position.y + high < seen.top) continue
    drawNode(paint, node, colours, zoom, signs)
  }
}

function coloursOf(canvas: HTMLCanvasElement): Colours {
  const style = getComputedStyle(canvas)
  return {
    ink: style.color,
    line: style.borderTopColor,
    wire: style.columnRuleColor,
    raised: style.outlineColor,
    accent: style.accentColor,
    bad: style.textDecorationColor,
    warn: style.caretColor,
    good: style.borderBottomColor,
  }
}

/** The curve that a link has as an element, so that nothing jumps when it becomes one. */
function bend(paint: CanvasRenderingContext2D, x: number, y: number, toX: number, toY: number): void {
  const reach = toX >= x ? (toX - x) / 2 : 0.25 * 25 * Math.sqrt(x - toX)
  paint.bezierCurveTo(x + reach, y, toX - reach, toY, toX, toY)
}

function drawWires(
  paint: CanvasRenderingContext2D,
  wires: Float64Array,
  { wire }: Colours,
  zoom: number,
  seen: Seen,
): void {
  paint.strokeStyle = wire
  paint.lineWidth = Math.max(1, 0.7 / zoom)
  paint.beginPath()
  for (let at = 0; at < wires.length; at += 4) {
    const [x, y, toX, toY] = [wires[at] ?? 0, wires[at + 1] ?? 0, wires[at + 2] ?? 0, wires[at + 3] ?? 0]
    if (Math.max(x, toX) < seen.left || Math.min(x, toX) > seen.right) continue
    if (Math.max(y, toY) < seen.top || Math.min(y, toY) > seen.bottom) continue
    paint.moveTo(x, y)
    if (zoom < FAR) paint.lineTo(toX, toY)
    else bend(paint, x, y, toX, toY)
  }
  paint.stroke()
}

/** What a run does with a block shows in its border, and weighs more than a fault of the document. */
const ENDS: Readonly<Record<string, (colours: Colours) => string>> = {
  running: ({ accent }) => accent,
  waiting: ({ warn }) => warn,
  completed: ({ good }) => good,
  recorded: ({ good }) => good,
  failed: ({ bad }) => bad,
}
const MARKS = { error: ({ bad }: Colours) => bad, warning: ({ warn }: Colours) => warn }

function drawNode(
  paint: CanvasRenderingContext2D,
  node: FlowNode,
  colours: Colours,
  zoom: number,
  signs: Signs,
): void {
  const { position, width = 0, height = 0, selected } = node
  const mark = signs.board.marks.get(node.id)
  const status = signs.live?.read(node.id)?.status ?? 'open'
  const border = selected
    ? colours.accent
    : (ENDS[status]?.(colours) ?? (mark ? MARKS[mark](colours) : colours.line))
  paint.fillStyle = colours.raised
  paint.fillRect(position.x, position.y, width, height)
  paint.strokeStyle = border
  paint.lineWidth = (border === colours.line ? 1 : 2) / zoom
  paint.strokeRect(position.x, position.y, width, height)
  if (zoom < 0.12) return
  paint.fillStyle = colours.ink
  paint.fillText(node.data.title, position.x + 11, position.y + (zoom < FAR ? height / 2 : 17), width - 24)
}
