import { type RefObject, useLayoutEffect, useState } from 'react'

const SPARE = 10

export type RowWindow = { first: number; last: number }

/** The rows that can be seen in a frame that scrolls, and a few beside them. */
export function rowsIn(top: number, height: number, row: number, count: number): RowWindow {
  const first = Math.max(0, Math.floor(top / row) - SPARE)
  return { first: Math.min(first, count), last: Math.min(count, Math.ceil((top + height) / row) + SPARE) }
}

/** The rows to render: those of the window, and one that is held wherever it stands (none: -1). */
export function rowsWith({ first, last }: RowWindow, held: number): number[] {
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, nth) => first + nth)
  if (held < 0 || (first <= held && held < last)) return rows
  return held < first ? [held, ...rows] : [...rows, held]
}

/** Which of many rows of one height are worth rendering now. */
export function useRowWindow(frame: RefObject<HTMLElement | null>, row: number, count: number): RowWindow {
  const [seen, setSeen] = useState<RowWindow>({ first: 0, last: Math.min(count, 40) })
  useLayoutEffect(() => {
    const element = frame.current
    if (element === null) return
    const look = () => {
      const next = rowsIn(element.scrollTop, element.clientHeight, row, count)
      setSeen((now) => (now.first === next.first && now.last === next.last ? now : next))
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    const grown = new ResizeObserver(look)
    grown.observe(element)
    return () => {
      element.removeEventListener('scroll', look)
      grown.disconnect()
    }
  }, [frame, row, count])
  return seen
}
