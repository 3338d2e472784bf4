import type { Place } from './document'

/** What has to be placed: boxes with their sizes, and which leads to which. */
export type Boxes = {
  boxes: readonly { id: string; width: number; height: number }[]
  links: readonly { from: string; to: string }[]
}

const COLUMN_GAP = 96
const GAP = 40
const SWEEPS = 6

/** Left to right in the order of the data, one column per step, few crossings, no overlaps. */
export function arranged({ boxes, links }: Boxes): Map<string, Place> {
  const size = new Map(boxes.map((box) => [box.id, box]))
  const wires = links.filter((link) => link.from !== link.to && size.has(link.from) && size.has(link.to))
  const level = levelsOf(
    boxes.map((box) => box.id),
    wires,
  )
  const columns: string[][] = []
  for (const { id } of boxes) {
    const at = level.get(id) ?? 0
    columns[at] = [...(columns[at] ?? []), id]
  }
  const ordered = untangled(
    columns.map((column) => column ?? []),
    wires,
  )
  const places = new Map<string, Place>()
  let left = 0
  for (const column of ordered) {
    const height = column.reduce((sum, id) => sum + (size.get(id)?.height ?? 0) + GAP, -GAP)
    let top = -height / 2
    for (const id of column) {
      places.set(id, [Math.round(left / 20) * 20, Math.round(top)])
      top += (size.get(id)?.height ?? 0) + GAP
    }
    left += Math.max(0, ...column.map((id) => size.get(id)?.width ?? 0)) + COLUMN_GAP
  }
  return places
}

/** How many steps lead to each box at most. A loop is cut where it closes. */
function levelsOf(ids: readonly string[], links: Boxes['links']): Map<string, number> {
  const next = new Map<string, string[]>()
  for (const { from, to } of links) next.set(from, [...(next.get(from) ?? []), to])
  const order: string[] = []
  const state = new Map<string, 'open' | 'done'>()
  const back = new Set<string>()
  for (const id of ids) walk(id, next, state, order, back)
  const level = new Map(ids.map((id) => [id, 0]))
  for (const id of order.reverse()) {
    for (const to of next.get(id) ?? []) {
      if (!back.has(`${id} ${to}`)) level.set(to, Math.max(level.get(to) ?? 0, (level.get(id) ?? 0) + 1))
    }
  }
  return level
}

/** Depth first without recursion: agents may be a thousand steps long. */
function walk(
  root: string,
  next: ReadonlyMap<string, readonly string[]>,
  state: Map<string, 'open' | 'done'>,
  order: string[],
  back: Set<string>,
): void {
  if (state.has(root)) return
  const stack: { id: string; at: number }[] = [{ id: root, at: 0 }]
  state.set(root, 'open')
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const to = next.get(top.id)?.[top.at++]
    if (to === undefined) {
      state.set(top.id, 'done')
      order.push(top.id)
      stack.pop()
    } else if (state.get(to) === 'open') back.add(`${top.id} ${to}`)
    else if (!state.has(to)) {
      state.set(to, 'open')
      stack.push({ id: to, at: 0 })
    }
  }
}

/** Each column sorted by the middle of its neighbours, forth and back. */
function untangled(columns: readonly string[][], links: Boxes['links']): string[][] {
  const into = new Map<string, string[]>()
  const out = new Map<string, string[]>()
  for (const { from, to } of links) {
    into.set(to, [...(into.get(to) ?? []), from])
    out.set(from, [...(out.get(from) ?? []), to])
  }
  let now = columns.map((column) => [...column])
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const row = new Map(now.flatMap((column) => column.map((id, at) => [id, at / column.length] as const)))
    const beside = sweep % 2 === 0 ? into : out
    now = now.map((column) => {
      const middle = new Map(column.map((id) => [id, middleOf(id, beside.get(id) ?? [], row)]))
      const sorted = column.toSorted((a, b) => (middle.get(a) ?? 0) - (middle.get(b) ?? 0))
      sorted.forEach((id, at) => {
        row.set(id, at / sorted.length)
      })
      return sorted
    })
  }
  return now
}

function middleOf(id: string, beside: readonly string[], row: ReadonlyMap<string, number>): number {
  if (beside.length === 0) return row.get(id) ?? 0
  return beside.reduce((sum, other) => sum + (row.get(other) ?? 0), 0) / beside.length
}
