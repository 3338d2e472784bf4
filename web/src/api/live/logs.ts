import type { Connection } from './connection'
import { soon } from './soon'

/** How the events of one kind of log are folded. `fold` is pure, and equal however the events are cut into pieces. */
export type LogKind<State, Event> = {
  name: string
  empty: State
  fold: (state: State, events: readonly Event[]) => State
  /** Nothing comes after this event. */
  ends?: (event: Event) => boolean
}

export type Snapshot<State> = {
  state: State
  phase: 'loading' | 'live' | 'ended'
  refused: string | null
}

const KEEP_MILLIS = 60_000
const SLICE = 400
const FRAME_SHARE_MILLIS = 8

/** One log, folded once for all who look at it, and kept a while after the last one left. */
export class Log<State, Event> {
  private snapshot: Snapshot<State>
  private waiting: Event[] = []
  private scheduled = false
  private head: number | null = null
  private last = 0
  private stop: (() => void) | null = null
  private lookers = new Set<() => void>()
  private leaving: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly connection: Connection,
    private readonly kind: LogKind<State, Event>,
    private readonly channel: string,
    private readonly forget: () => void,
  ) {
    this.snapshot = { state: kind.empty, phase: 'loading', refused: null }
  }

  read = (): Snapshot<State> => this.snapshot

  look = (changed: () => void): (() => void) => {
    clearTimeout(this.leaving)
    this.lookers.add(changed)
    if (this.stop === null && this.snapshot.phase !== 'ended') this.start()
    return () => {
      this.lookers.delete(changed)
      if (this.lookers.size === 0) this.leaving = setTimeout(() => this.end(), KEEP_MILLIS)
    }
  }

  /** Ask again after a refusal. */
  again = (): void => {
    this.stop?.()
    this.become({ phase: 'loading', refused: null })
    this.start()
  }

  private start(): void {
    this.stop = this.connection.follow(this.channel, this.last, {
      event: (id, event) => this.take(id, event as Event),
      subscribed: (head) => {
        this.head = head
        this.settle()
      },
      reset: () => this.startOver(),
      refused: (code) => this.become({ refused: code }),
    })
  }

  private end(): void {
    this.stop?.()
    this.stop = null
    this.forget()
  }

  private startOver(): void {
    this.last = 0
    this.waiting = []
    this.head = null
    this.become({ state: this.kind.empty, phase: 'loading' })
    this.stop?.()
    this.start()
  }

  private take(id: number, event: Event): void {
    this.last = id
    this.waiting.push(event)
    this.schedule()
  }

  private schedule(): void {
    if (this.scheduled) return
    this.scheduled = true
    soon(this.flush)
  }

  /** Fold what waits, slice by slice, as long as a frame can spare; the rest comes in the next one. */
  private flush = (): void => {
    this.scheduled = false
    if (this.waiting.length === 0) return
    const until = performance.now() + FRAME_SHARE_MILLIS
    let state = this.snapshot.state
    let taken = 0
    do {
      state = this.kind.fold(state, this.waiting.slice(taken, taken + SLICE))
      taken += SLICE
    } while (taken < this.waiting.length && performance.now() < until)
    const folded = this.waiting.slice(0, taken)
    this.waiting = this.waiting.slice(taken)
    if (this.kind.ends !== undefined && folded.some(this.kind.ends)) this.finish(state)
    else {
      const caughtUp = this.head !== null && this.last >= this.head && this.waiting.length === 0
      this.become({ state, phase: caughtUp ? 'live' : this.snapshot.phase, refused: null })
    }
    if (this.waiting.length > 0) this.schedule()
  }

  private finish(state: State): void {
    this.stop?.()
    this.stop = null
    this.become({ state, phase: 'ended', refused: null })
  }

  /** All is here when the head is; an empty log has nothing to wait for. */
  private settle(): void {
    if (this.head !== null && this.last >= this.head && this.waiting.length === 0)
      this.become({ phase: 'live' })
  }

  private become(change: Partial<Snapshot<State>>): void {
    this.snapshot = { ...this.snapshot, ...change }
    for (const changed of this.lookers) changed()
  }
}
