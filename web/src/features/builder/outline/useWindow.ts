import { type RefObject, useCallback, useState } from 'react'

export const ROW = 32
const MANY = 200
const SPARE = 10

/** Which rows of a long list are drawn: all of a short one, of a long one those that can be seen and some more. */
export function useWindow(frame: RefObject<HTMLElement | null>, count: number) {
  const [top, setTop] = useState(0)
  const high = frame.current?.clientHeight ?? 800
  const isLong = count > MANY
  const first = isLong ? Math.max(0, Math.floor(top / ROW) - SPARE) : 0
  const last = isLong ? Math.min(count, Math.ceil((top + high) / ROW) + SPARE) : count

  const scrolled = useCallback(() => setTop(frame.current?.scrollTop ?? 0), [frame])
  const show = useCallback(
    (row: number) => {
      const element = frame.current
      if (element === null) return
      const [above, below] = [row * ROW, (row + 1) * ROW - element.clientHeight]
      element.scrollTop = Math.max(Math.min(element.scrollTop, above), below)
      setTop(element.scrollTop)
    },
    [frame],
  )
  return { first, last, scrolled, show }
}
