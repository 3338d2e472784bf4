import type { Link } from '../document'
import type { LiveNodes } from '../run/nodes'
import { FAR } from './BlockNode'
import type { Board } from './board'
import type { FlowNode } from './drawing'

/** What a picture of many blocks is made of: the blocks and links that no element stands for. */
export type Scene = {
  nodes: ReadonlyMap<string, FlowNode>
  wires: Float64Array
  isWirePainted: (index: number) => boolean
  board: Board
  live: LiveNodes | null
}
export type View = { transform: readonly [number, number, number]; width: number; height: number }

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

/** Each link as the two points between which it runs; one that leads nowhere as no numbers. */
export function wiresOf(nodes: readonly FlowNode[], links: readonly Link[]): Float64Array {
  const ends = new Map<string, { x: number; y: number }>()
  for (const { id, position, handles } of nodes) {
    for (const { id: pin, type, x, y, width = 0, height = 0 } of handles ?? []) {
      ends.set(`${id} ${type} ${pin}`, {
        x: position.x + x + (type === 'source' ? width : 0),
        y: position.y + y + height / 2,
      })
    }
  }
  const points = new Float64Array(links.length * 4).fill(Number.NaN)
  links.forEach((link, index) => {
    const [from, to] = [ends.get(`${link.from} source ${link.out}`), ends.get(`${link.to} target ${link.in}`)]
    if (from && to) points.set([from.x, from.y, to.x, to.y], index * 4)
  })
  return points
}

/** Paint all that is in sight. */
export function paintAll(canvas: HTMLCanvasElement, scene: Scene, view: View): void {
  fitted(canvas, view)
  const brush = brushOf(canvas, view)
  if (brush === null) return
  const { paint, colours, seen } = brush
  const zoom = view.transform[2]
  paint.save()
  paint.setTransform(1, 0, 0, 1, 0, 0)
  paint.clearRect(0, 0, canvas.width, canvas.height)
  paint.restore()
  drawWires(paint, scene, colours, zoom, seen)
  for (const node of scene.nodes.values()) drawNode(paint, node, colours, zoom, scene, seen)
}

/** Paint some blocks again where they stand, in a view that has not moved: what a run touches costs no more than it is. */
export function paintSome(canvas: HTMLCanvasElement, scene: Scene, view: View, ids: Iterable<string>): void {
  const brush = brushOf(canvas, view)
  if (brush === null) return
  for (const id of ids) {
    const node = scene.nodes.get(id)
    if (node) drawNode(brush.paint, node, brush.colours, view.transform[2], scene, brush.seen)
  }
}

function fitted(canvas: HTMLCanvasElement, { width, height }: View): void {
  const sharp = devicePixelRatio || 1
  const [wide, high] = [Math.round(width * sharp), Math.round(height * sharp)]
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high]
}

function brushOf(canvas: HTMLCanvasElement, { transform: [x, y, zoom], width, height }: View) {
  const paint = canvas.getContext('2d')
  if (paint === null) return null
  const sharp = devicePixelRatio || 1
  paint.setTransform(zoom * sharp, 0, 0, zoom * sharp, x * sharp, y * sharp)
  paint.font = `600 ${zoom < FAR ? 30 : 13}px system-ui, sans-serif`
  paint.textBaseline = 'middle'
  const seen = { left: -x / zoom, top: -y / zoom, right: (width - x) / zoom, bottom: (height - y) / zoom }
  return { paint, colours: coloursOf(canvas), seen }
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
  { wires, isWirePainted }: Scene,
  { wire }: Colours,
  zoom: number,
  seen: Seen,
): void {
  paint.strokeStyle = wire
  paint.lineWidth = Math.max(1, 0.7 / zoom)
  paint.beginPath()
  for (let at = 0; at < wires.length; at += 4) {
    const [x, y, toX, toY] = [wires[at] ?? 0, wires[at + 1] ?? 0, wires[at + 2] ?? 0, wires[at + 3] ?? 0]
    // Asked this way round, what is no number is not in sight either.
    if (!(Math.max(x, toX) >= seen.left && Math.min(x, toX) <= seen.right)) continue
    if (!(Math.max(y, toY) >= seen.top && Math.min(y, toY) <= seen.bottom)) continue
    if (!isWirePainted(at / 4)) continue
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
  { board, live }: Scene,
  seen: Seen,
): void {
  const { position, width = 0, height = 0, selected } = node
  if (position.x > seen.right || position.y > seen.bottom) return
  if (position.x + width < seen.left || position.y + height < seen.top) return
  const mark = board.marks.get(node.id)
  const status = live?.read(node.id)?.status ?? 'open'
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
