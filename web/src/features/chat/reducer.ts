import { fields, list, number, text } from '@/kit/json'
import type { ChatEvent } from './events'
import type { ChatView, Item, ToolItem, Turn } from './view'

type Draft = {
  last: number
  title: string | null
  items: Item[]
  places: Record<string, number>
  turns: Record<string, Turn>
  active: string | null
}

/**
 * Fold events into what is shown. Pure; equal however the events are cut into pieces. Events seen before change
 * nothing, and items that no event touches stay the same objects, so that their elements stay too.
 */
export function foldChat(view: ChatView, events: readonly ChatEvent[]): ChatView {
  const fresh = events.filter((event) => event.id > view.last)
  if (fresh.length === 0) return view
  const draft: Draft = {
    ...view,
    items: [...view.items],
    places: { ...view.places },
    turns: { ...view.turns },
  }
  for (const event of fresh) {
    if (event.id <= draft.last) continue
    draft.last = event.id
    HANDLERS[event.type]?.(draft, event)
  }
  return draft
}

type Handler = (draft: Draft, event: ChatEvent) => void

const HANDLERS: Record<string, Handler> = {
  'user-message': addUser,
  'follow-up': addFollowUps,
  'turn-queued': (draft, event) =>
    setTurn(draft, event, { status: 'queued', position: number(event.data.position) }),
  'turn-started': (draft, event) =>
    setTurn(draft, event, {
      status: 'running',
      model: text(event.data.model),
      started_at: event.created_at,
      position: null,
    }),
  'turn-suspended': (draft, event) =>
    setTurn(draft, event, { status: 'waiting', waits_for: waitsFor(event.data.waits_for) }),
  'turn-resumed': resumeTurn,
  'turn-ended': endTurn,
  'step-reset': resetStep,
  'text-start': (draft, event) => void textAt(draft, event, 'text'),
  'text-delta': (draft, event) => addDelta(draft, event, 'text'),
  'text-end': (draft, event) => endText(draft, event, 'text'),
  'reasoning-start': (draft, event) => void textAt(draft, event, 'reasoning'),
  'reasoning-delta': (draft, event) => addDelta(draft, event, 'reasoning'),
  'reasoning-end': (draft, event) => endText(draft, event, 'reasoning'),
  'tool-input-start': (draft, event) => void toolAt(draft, event),
  'tool-input-delta': (draft, event) =>
    setTool(draft, event, (tool) => ({ typed: tool.typed + (text(event.data.delta) ?? '') })),
  'tool-input-available': (draft, event) =>
    setTool(draft, event, () => ({ status: 'running', input: event.data.input, typed: '' })),
  'tool-output-available': endTool,
  'tool-output-error': failTool,
  background: noteBackground,
  compaction: (draft, event) =>
    add(draft, `at:${event.id}`, {
      ...placed(event),
      kind: 'notice',
      code: 'compaction',
      level: 'info',
      message: 'Earlier parts of this conversation were summed up to make room.',
    }),
  notice: addNotice,
  error: addError,
  title: (draft, event) => {
    draft.title = text(event.data.title)
  },
}

function placed(event: ChatEvent) {
  return { id: event.id, turn_id: event.turn_id, at: event.created_at }
}

function add(draft: Draft, key: string, item: Item): number {
  const place = draft.items.push(item) - 1
  draft.places[key] = place
  return place
}

function addUser(draft: Draft, event: ChatEvent): void {
  addMessage(
    draft,
    event,
    text(event.data.message_id) ?? `at:${event.id}`,
    text(event.data.text) ?? '',
    false,
  )
}

function addFollowUps(draft: Draft, event: ChatEvent): void {
  const texts = list(event.data.texts)
  list(event.data.message_ids).forEach((message_id, index) => {
    addMessage(draft, event, String(message_id), text(texts[index]) ?? '', true)
  })
}

function addMessage(
  draft: Draft,
  event: ChatEvent,
  message_id: string,
  words: string,
  follow_up: boolean,
): void {
  const key = `message:${message_id}`
  if (draft.places[key] !== undefined) return
  const files = list(event.data.file_ids).length
  add(draft, key, { ...placed(event), kind: 'user', message_id, text: words, files, follow_up })
}

function setTurn(draft: Draft, event: ChatEvent, change: Partial<Turn>): void {
  const turn_id = event.turn_id
  if (turn_id === null) return
  const blank: Turn = {
    turn_id,
    status: 'queued',
    position: null,
    waits_for: null,
    model: null,
    started_at: null,
  }
  const known = draft.turns[turn_id] ?? blank
  draft.turns[turn_id] = { ...known, ...change, started_at: known.started_at ?? change.started_at ?? null }
  draft.active = turn_id
}

/** Going on after a sleep is nothing to tell; going on after a lost worker is. */
function resumeTurn(draft: Draft, event: ChatEvent): void {
  const slept = event.turn_id !== null && draft.turns[event.turn_id]?.status === 'waiting'
  setTurn(draft, event, { status: 'running', waits_for: null })
  if (slept) return
  const message = 'The work was interrupted and has been picked up again.'
  add(draft, `at:${event.id}`, {
    ...placed(event),
    kind: 'notice',
    code: 'recovered',
    level: 'info',
    message,
  })
}

function waitsFor(value: unknown): string | null {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? null : JSON.stringify(value)
}

function endTurn(draft: Draft, event: ChatEvent): void {
  const status = text(event.data.status) ?? 'completed'
  setTurn(draft, event, { status: status as Turn['status'], position: null, waits_for: null })
  draft.active = null
  let silent = true
  draft.items.forEach((item, place) => {
    if (item.turn_id !== event.turn_id) return
    if (item.kind === 'text' || item.kind === 'error') silent = false
    draft.items[place] = closed(item, event)
  })
  const reason = text(event.data.reason)
  const duration_ms = number(event.data.duration_ms)
  add(draft, `end:${event.id}`, { ...placed(event), kind: 'end', status, reason, duration_ms, silent })
}

/** What a turn left open when it ended is over too. */
function closed(item: Item, event: ChatEvent): Item {
  if (item.kind === 'text' && !item.done) return { ...item, done: true }
  if (item.kind === 'reasoning' && !item.done) return { ...item, done: true, ended_at: event.created_at }
  if (item.kind === 'tool' && (item.status === 'running' || item.status === 'preparing')) {
    return { ...item, status: 'cancelled', ended_at: event.created_at }
  }
  return item
}

/** An abandoned model call said these parts; it will say them again. */
function resetStep(draft: Draft, event: ChatEvent): void {
  const parts = new Set(list(event.data.part_ids ?? event.data.parts).map(String))
  draft.items = draft.items.filter(
    (item) => !('part' in item && parts.has(item.part)) && !('call' in item && parts.has(item.call)),
  )
  draft.places = {}
  draft.items.forEach((item, place) => {
    draft.places[keyOf(item)] = place
  })
}

function keyOf(item: Item): string {
  if (item.kind === 'user') return `message:${item.message_id}`
  if (item.kind === 'tool') return toolKey(item.turn_id, item.call)
  if (item.kind === 'text' || item.kind === 'reasoning') return `part:${item.part}`
  return item.kind === 'end' ? `end:${item.id}` : `at:${item.id}`
}

function toolKey(turn_id: string | null, call: string): string {
  return `tool:${turn_id}:${call}`
}

function textAt(draft: Draft, event: ChatEvent, kind: 'text' | 'reasoning'): number {
  const part = String(event.data.id)
  const known = draft.places[`part:${part}`]
  if (known !== undefined) return known
  const blank = { ...placed(event), part, text: '', done: false }
  return add(draft, `part:${part}`, kind === 'text' ? { ...blank, kind } : { ...blank, kind, ended_at: null })
}

/** Ids put the pieces in order, each once; `offset` counts characters as the server does and is not needed here. */
function addDelta(draft: Draft, event: ChatEvent, kind: 'text' | 'reasoning'): void {
  const place = textAt(draft, event, kind)
  const item = draft.items[place]
  if (item === undefined || !('part' in item) || item.done) return
  draft.items[place] = { ...item, text: item.text + (text(event.data.delta) ?? '') }
}

/** The end holds the whole text and sets it: pieces may have been trimmed away since. */
function endText(draft: Draft, event: ChatEvent, kind: 'text' | 'reasoning'): void {
  const place = textAt(draft, event, kind)
  const item = draft.items[place]
  if (item === undefined || !('part' in item)) return
  const whole = text(event.data.text) ?? item.text
  draft.items[place] =
    item.kind === 'reasoning'
      ? { ...item, text: whole, done: true, ended_at: event.created_at }
      : { ...item, text: whole, done: true }
}

function toolAt(draft: Draft, event: ChatEvent): number {
  const call = String(event.data.tool_call_id)
  const key = toolKey(event.turn_id, call)
  const known = draft.places[key]
  if (known !== undefined) return known
  return add(draft, key, {
    ...placed(event),
    kind: 'tool',
    call,
    tool: text(event.data.tool) ?? 'tool',
    status: 'preparing',
    typed: '',
    input: undefined,
    output: undefined,
    error: null,
    duration_ms: null,
    ended_at: null,
  })
}

function setTool(draft: Draft, event: ChatEvent, change: (tool: ToolItem) => Partial<ToolItem>): void {
  const place = toolAt(draft, event)
  const item = draft.items[place]
  if (item?.kind !== 'tool' || item.ended_at !== null) return
  draft.items[place] = { ...item, ...change(item) }
}

function endTool(draft: Draft, event: ChatEvent): void {
  const output = event.data.output
  const said = fields(output)
  const failed = event.data.success === false || said.type === 'error'
  setTool(draft, event, () => ({
    status: failed ? 'failed' : said.type === 'background' ? 'background' : 'completed',
    output,
    error: failed ? { code: text(said.error) ?? 'error', message: text(said.message) ?? 'It failed.' } : null,
    duration_ms: number(event.data.duration_ms),
    ended_at: event.created_at,
  }))
}

function failTool(draft: Draft, event: ChatEvent): void {
  const code = text(event.data.code) ?? 'error'
  setTool(draft, event, () => ({
    status: code === 'interrupted' || code === 'cancelled' ? 'cancelled' : 'failed',
    error: { code, message: text(event.data.message) ?? 'It failed.' },
    duration_ms: number(event.data.duration_ms),
    ended_at: event.created_at,
  }))
}

function noteBackground(draft: Draft, event: ChatEvent): void {
  const state = text(event.data.state)
  if (state === null || state === 'running' || state === 'parked') return
  const message = `Background work (${text(event.data.tool) ?? 'tool'}) is ${state}.`
  add(draft, `at:${event.id}`, {
    ...placed(event),
    kind: 'notice',
    code: 'background',
    level: 'info',
    message,
  })
}

function addNotice(draft: Draft, event: ChatEvent): void {
  const { code, level, message } = event.data
  add(draft, `at:${event.id}`, {
    ...placed(event),
    kind: 'notice',
    code: text(code) ?? 'notice',
    level: text(level) ?? 'info',
    message: text(message) ?? '',
  })
}

function addError(draft: Draft, event: ChatEvent): void {
  add(draft, `at:${event.id}`, {
    ...placed(event),
    kind: 'error',
    code: text(event.data.code) ?? 'internal',
    message: text(event.data.message) ?? 'Something went wrong.',
    retryable: event.data.retryable === true,
  })
}
