import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Connection, type Listener } from './connection'

/** The other end of the wire, in the hands of the test. */
class FakeSocket {
  readyState = 0
  sent: { op: string; channel?: string; after?: number }[] = []
  onopen: (() => void) | null = null
  onclose: ((event: { code: number }) => void) | null = null
  onmessage: ((message: { data: string }) => void) | null = null

  send(words: string) {
    this.sent.push(JSON.parse(words))
  }
  close() {
    this.readyState = 3
  }
  accept() {
    this.readyState = 1
    this.onopen?.()
  }
  say(frame: object) {
    this.onmessage?.({ data: JSON.stringify(frame) })
  }
  break(code = 1006) {
    this.readyState = 3
    this.onclose?.({ code })
  }
}

/** What reads one channel without a socket. */
type FakeSource = {
  channel: string
  after: number
  listener: Listener
  gaveUp: () => void
  open: boolean
  stopped: boolean
}

let sockets: FakeSocket[]
let fallback: FakeSource[]
let connection: Connection
let signedOut: number

function listener() {
  const heard: number[] = []
  const told: string[] = []
  return {
    heard,
    told,
    event: (id: number) => void heard.push(id),
    subscribed: (head: number) => void told.push(`head ${head}`),
    reset: () => void told.push('reset'),
    refused: (code: string) => void told.push(code),
  }
}

const newest = () => sockets.at(-1) as FakeSocket
const newestSource = () => fallback.at(-1) as FakeSource

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', { visibilityState: 'visible' })
  sockets = []
  fallback = []
  signedOut = 0
  connection = new Connection(
    () => {
      const socket = new FakeSocket()
      sockets.push(socket)
      return socket as unknown as WebSocket
    },
    (channel, after, heard, gaveUp) => {
      const one: FakeSource = { channel, after, listener: heard, gaveUp, open: false, stopped: false }
      fallback.push(one)
      const stop = () => {
        one.stopped = true
      }
      return { stop, isOpen: () => one.open }
    },
    () => {
      signedOut += 1
    },
  )
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('C2: all channels share one socket, and each asks for what follows its last id', () => {
  connection.follow('session:a', 0, listener())
  connection.follow('run:b', 4, listener())
  newest().accept()
  expect(sockets).toHaveLength(1)
  expect(newest().sent).toEqual([
    { op: 'subscribe', channel: 'session:a', after: 0, batch: true },
    { op: 'subscribe', channel: 'run:b', after: 4, batch: true },
  ])
})

test('events that come together in one frame are heard one by one, each once and in order', () => {
  const one = listener()
  connection.follow('run:b', 0, one)
  newest().accept()
  newest().say({ channel: 'run:b', id: 1, event: {} })
  newest().say({ channel: 'run:b', events: [1, 2, 3].map((id) => ({ id, event: {} })) })
  expect(one.heard).toEqual([1, 2, 3])
})

test('C3: after a cut it subscribes again after the last id, and drops what it has seen', () => {
  const one = listener()
  connection.follow('session:a', 0, one)
  newest().accept()
  for (const id of [1, 2, 3]) newest().say({ channel: 'session:a', id, event: {} })
  newest().break()
  vi.advanceTimersByTime(1_000)
  newest().accept()
  expect(newest().sent).toEqual([{ op: 'subscribe', channel: 'session:a', after: 3, batch: true }])
  for (const id of [3, 4]) newest().say({ channel: 'session:a', id, event: {} })
  expect(one.heard).toEqual([1, 2, 3, 4])
})

test('C3: it rests longer after every failure, up to 15 s, and not at all when asked to hurry', () => {
  connection.follow('session:a', 0, listener())
  for (let failure = 0; failure < 8; failure++) {
    newest().break()
    vi.advanceTimersByTime(15_000)
    expect(sockets).toHaveLength(failure + 2)
  }
  newest().break()
  vi.advanceTimersByTime(7_000)
  const before = sockets.length
  connection.hurry()
  expect(sockets).toHaveLength(before + 1)
})

test('C4: a quiet server is no failure until 30 s have passed without any frame', () => {
  connection.follow('session:a', 0, listener())
  newest().accept()
  vi.advanceTimersByTime(29_000)
  expect(connection.state()).toBe('open')
  newest().say({ type: 'pong' })
  vi.advanceTimersByTime(29_000)
  expect(connection.state()).toBe('open')
  vi.advanceTimersByTime(2_000)
  expect(connection.state()).toBe('lost')
  expect(sockets).toHaveLength(2)
})

test('it pings, so that a server with nothing to say can prove that it lives', () => {
  connection.follow('session:a', 0, listener())
  newest().accept()
  vi.advanceTimersByTime(13_000)
  expect(newest().sent.map((words) => words.op)).toContain('ping')
})

test('C2: what cannot open within 5 s is read over server-sent events until the socket opens', () => {
  const one = listener()
  connection.follow('run:b', 2, one)
  vi.advanceTimersByTime(4_000)
  expect(fallback).toHaveLength(0)
  vi.advanceTimersByTime(2_000)
  expect(fallback).toMatchObject([{ channel: 'run:b', after: 2, stopped: false }])
  fallback[0]?.listener.event(3, {})
  newest().accept()
  expect(fallback[0]?.stopped).toBe(true)
  expect(newest().sent).toEqual([{ op: 'subscribe', channel: 'run:b', after: 3, batch: true }])
  expect(one.heard).toEqual([3])
})

test('C2: a source that gave up is followed, after a rest, by one that goes on from the last id', () => {
  connection.follow('run:b', 2, listener())
  vi.advanceTimersByTime(6_000)
  newestSource().listener.event(3, {})
  newestSource().gaveUp()
  expect(fallback).toMatchObject([{ after: 2, stopped: true }])
  vi.advanceTimersByTime(1_000)
  expect(fallback).toHaveLength(2)
  expect(newestSource()).toMatchObject({ channel: 'run:b', after: 3, stopped: false })
})

test('C3: what gives up again and again rests longer, up to 15 s', () => {
  connection.follow('run:b', 0, listener())
  vi.advanceTimersByTime(6_000)
  for (let failure = 0; failure < 8; failure++) {
    newestSource().gaveUp()
    vi.advanceTimersByTime(15_000)
    expect(fallback).toHaveLength(failure + 2)
  }
  newestSource().gaveUp()
  vi.advanceTimersByTime(7_000)
  expect(fallback).toHaveLength(9)
})

test('C2: a source that is open works though nothing is heard, and one that is not is missed', () => {
  connection.follow('run:b', 0, listener())
  vi.advanceTimersByTime(6_000)
  expect(connection.state()).toBe('lost')
  newestSource().open = true
  newestSource().listener.subscribed(0)
  vi.advanceTimersByTime(60_000)
  expect(connection.state()).toBe('connecting')
  newestSource().open = false
  vi.advanceTimersByTime(1_000)
  expect(connection.state()).toBe('lost')
})

test('a reset begins again from nothing; a refusal is told', () => {
  const one = listener()
  connection.follow('session:a', 9, one)
  newest().accept()
  newest().say({ type: 'reset', channel: 'session:a' })
  newest().say({ channel: 'session:a', id: 1, event: {} })
  newest().say({ type: 'error', channel: 'session:a', code: 'not_found' })
  expect(one.heard).toEqual([1])
  expect(one.told).toEqual(['reset', 'not_found'])
})

test('who leaves hears no more', () => {
  const one = listener()
  const leave = connection.follow('session:a', 0, one)
  newest().accept()
  leave()
  newest().say({ channel: 'session:a', id: 1, event: {} })
  expect(one.heard).toEqual([])
  expect(newest().sent.at(-1)).toEqual({ op: 'unsubscribe', channel: 'session:a' })
})

test('when nobody listens any more, a cut is left alone until somebody comes', () => {
  const leave = connection.follow('user', 0, listener())
  newest().accept()
  leave()
  newest().break()
  vi.advanceTimersByTime(60_000)
  expect(sockets).toHaveLength(1)
  connection.follow('user', 0, listener())
  expect(sockets).toHaveLength(2)
})

test('F5: a server that no longer knows the session says so', () => {
  connection.follow('session:a', 0, listener())
  newest().accept()
  newest().break(4401)
  expect(signedOut).toBe(1)
})
