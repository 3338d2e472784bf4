import { rest } from './backoff'
import { type Frame, frameOf } from './frames'

export type Listener = {
  event: (id: number, event: unknown) => void
  /** Everything up to this id has been or will be sent at once; later events are live. */
  subscribed: (head: number) => void
  /** The server no longer has what follows our last id: start again from nothing. */
  reset: () => void
  refused: (code: string) => void
}

export type Link = 'connecting' | 'open' | 'lost'

export type Source = { stop: () => void; isOpen: () => boolean }

/** Follows one channel without a socket, until it is told to stop or says that it gave up. */
export type Fallback = (channel: string, after: number, listener: Listener, gaveUp: () => void) => Source

type Follower = {
  after: number
  listener: Listener
  source: Source | null
  /** How often in a row its source gave up, and when there may be another. */
  failures: number
  restsUntil: number
}

const SILENCE = 30_000
const PING_EVERY = 12_000
const OPEN_WITHIN = 5_000
const LOST_AFTER = 5_000
const SIGNED_OUT = 4401

/** One socket for all the live channels of this tab; it comes back by itself and misses nothing. */
export class Connection {
  private socket: WebSocket | null = null
  private readonly followers = new Map<string, Follower>()
  private readonly watchers = new Set<() => void>()
  private attempt = 0
  private lastFrame = 0
  private downSince = 0
  private retry: ReturnType<typeof setTimeout> | undefined
  private beat: ReturnType<typeof setInterval> | undefined
  private link: Link = 'connecting'

  constructor(
    private readonly open: () => WebSocket,
    private readonly fallback: Fallback,
    private readonly signedOut: () => void,
  ) {}

  /** Follow a channel after an id; each event comes once and in order. */
  follow(channel: string, after: number, listener: Listener): () => void {
    const follower: Follower = { after, listener, source: null, failures: 0, restsUntil: 0 }
    this.followers.set(channel, follower)
    if (this.isOpen()) this.ask(channel, follower)
    else if (this.socket === null && this.retry === undefined) this.connect()
    return () => this.leave(channel, follower)
  }

  state = (): Link => this.link

  watch = (changed: () => void): (() => void) => {
    this.watchers.add(changed)
    return () => this.watchers.delete(changed)
  }

  /** Try again now: the network came back, or somebody looks at the page. */
  hurry = (): void => {
    if (this.followers.size === 0) return
    if (this.isOpen()) {
      this.checkSilence()
      return
    }
    this.attempt = 0
    this.connect()
  }

  private leave(channel: string, follower: Follower): void {
    follower.source?.stop()
    if (this.followers.get(channel) !== follower) return
    this.followers.delete(channel)
    if (this.isOpen()) this.send({ op: 'unsubscribe', channel })
  }

  private isOpen(): boolean {
    return this.socket !== null && this.socket.readyState === 1
  }

  private connect(): void {
    clearTimeout(this.retry)
    this.retry = undefined
    this.drop()
    if (this.downSince === 0) this.downSince = Date.now()
    this.startBeat()
    const socket = this.open()
    this.socket = socket
    socket.onopen = () => this.opened()
    socket.onmessage = (message) => this.received(frameOf(String(message.data)))
    socket.onclose = (event) => {
      if (this.socket === socket) this.closed()
      if (event.code === SIGNED_OUT) this.signedOut()
    }
  }

  private opened(): void {
    this.attempt = 0
    this.downSince = 0
    this.lastFrame = Date.now()
    this.become('open')
    for (const [channel, follower] of this.followers) {
      follower.source?.stop()
      follower.source = null
      follower.failures = 0
      follower.restsUntil = 0
      this.ask(channel, follower)
    }
  }

  private closed(): void {
    this.socket = null
    if (this.downSince === 0) this.downSince = Date.now()
    if (this.link === 'open') this.become('connecting')
    clearTimeout(this.retry)
    this.retry = undefined
    if (this.followers.size > 0) this.retry = setTimeout(() => this.connect(), rest(this.attempt++))
  }

  private received(frame: Frame): void {
    this.lastFrame = Date.now()
    if (this.link !== 'open') this.become('open')
    if (frame.kind === 'beat' || frame.channel === null) return
    const follower = this.followers.get(frame.channel)
    if (follower === undefined) return
    if (frame.kind === 'events') for (const { id, event } of frame.events) this.take(follower, id, event)
    else if (frame.kind === 'subscribed') follower.listener.subscribed(frame.head)
    else if (frame.kind === 'reset') {
      follower.after = 0
      follower.listener.reset()
    } else follower.listener.refused(frame.code)
  }

  /** What was seen before is dropped by its id, never by its text. */
  private take(follower: Follower, id: number, event: unknown): void {
    if (id <= follower.after) return
    follower.after = id
    follower.listener.event(id, event)
  }

  private ask(channel: string, follower: Follower): void {
    this.send({ op: 'subscribe', channel, after: follower.after, batch: true })
  }

  private send(words: object): void {
    this.socket?.send(JSON.stringify(words))
  }

  private startBeat(): void {
    this.beat ??= setInterval(() => this.tick(), 1_000)
  }

  private sinceBeat = 0

  private tick(): void {
    if (this.followers.size === 0 && !this.isOpen()) return
    if (this.isOpen()) {
      this.sinceBeat += 1_000
      if (this.sinceBeat >= PING_EVERY) {
        this.sinceBeat = 0
        this.send({ op: 'ping' })
      }
      this.checkSilence()
      return
    }
    const down = Date.now() - this.downSince
    if (down >= OPEN_WITHIN) this.fallBack()
    if (down >= LOST_AFTER && !this.fallbackWorks()) this.become('lost')
  }

  private checkSilence(): void {
    if (Date.now() - this.lastFrame < SILENCE) return
    this.become('lost')
    this.attempt = 0
    this.connect()
  }

  private heardByFallback = 0

  /** A source that is open works, however quiet: it does not pass the heartbeats of the server on. */
  private fallbackWorks(): boolean {
    const isOpen = [...this.followers.values()].some(({ source }) => source?.isOpen())
    return isOpen || Date.now() - this.heardByFallback < SILENCE
  }

  /** The socket cannot open: read the channels that are looked at one by one. */
  private fallBack(): void {
    if (document.visibilityState === 'hidden') return
    for (const [channel, follower] of this.followers) {
      if (follower.source === null && Date.now() >= follower.restsUntil) this.openSource(channel, follower)
    }
  }

  private openSource(channel: string, follower: Follower): void {
    const source: Source = this.fallback(channel, follower.after, this.passingOn(follower), () => {
      if (follower.source !== source) return
      source.stop()
      follower.source = null
      follower.restsUntil = Date.now() + rest(follower.failures++)
    })
    follower.source = source
  }

  private passingOn(follower: Follower): Listener {
    const heard = () => {
      follower.failures = 0
      this.heardByFallback = Date.now()
      if (this.link === 'lost') this.become('connecting')
    }
    return {
      event: (id, event) => {
        heard()
        this.take(follower, id, event)
      },
      subscribed: (head) => {
        heard()
        follower.listener.subscribed(head)
      },
      reset: () => follower.listener.reset(),
      refused: (code) => follower.listener.refused(code),
    }
  }

  private drop(): void {
    const old = this.socket
    this.socket = null
    if (old === null) return
    old.onopen = null
    old.onmessage = null
    old.onclose = null
    old.close()
  }

  private become(link: Link): void {
    if (this.link === link) return
    this.link = link
    for (const changed of this.watchers) changed()
  }
}
