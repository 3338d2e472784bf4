import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Connection, Listener } from './connection'
import { Log } from './logs'
import { soon } from './soon'

let frames: Map<number, () => void>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  frames = new Map()
  let last = 0
  vi.stubGlobal('requestAnimationFrame', (act: () => void) => {
    frames.set(++last, act)
    return last
  })
  vi.stubGlobal('cancelAnimationFrame', (frame: number) => frames.delete(frame))
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function paint() {
  const now = [...frames.values()]
  frames.clear()
  for (const act of now) act()
}

test('the frame comes first where frames are painted, and nothing comes twice', () => {
  const act = vi.fn()
  soon(act)
  paint()
  expect(act).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1_000)
  expect(act).toHaveBeenCalledTimes(1)
})

test('without frames it is done a moment later, and a late frame does nothing', () => {
  const act = vi.fn()
  soon(act)
  vi.advanceTimersByTime(1_000)
  expect(act).toHaveBeenCalledTimes(1)
  paint()
  expect(act).toHaveBeenCalledTimes(1)
})

test('C2: a log grows in a page that is hidden while a frame is awaited, and goes on when it is seen again', () => {
  let listener: Listener | undefined
  const connection = {
    follow: (_channel: string, _after: number, heard: Listener) => {
      listener = heard
      return () => undefined
    },
  } as unknown as Connection
  const kind = {
    name: 'numbers',
    empty: [] as readonly number[],
    fold: (state: readonly number[], events: readonly number[]) => [...state, ...events],
  }
  const log = new Log<readonly number[], number>(connection, kind, 'numbers', () => undefined)
  log.look(() => undefined)
  listener?.event(1, 1) // a frame is asked for, and the page is hidden before it comes
  vi.advanceTimersByTime(1_000)
  expect(log.read().state).toEqual([1])
  listener?.event(2, 2)
  vi.advanceTimersByTime(1_000)
  expect(log.read().state).toEqual([1, 2])
  listener?.event(3, 3)
  paint()
  expect(log.read().state).toEqual([1, 2, 3])
})
