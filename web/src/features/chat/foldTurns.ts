import { number, text } from '@/kit/json'
import { say } from '@/kit/say'
import { add, addNotice, type Draft, type Handler, placed } from './draft'
import type { ChatEvent } from './events'
import { noteWaits } from './foldTools'
import type { Item, Turn } from './view'

/** How a turn begins, waits, goes on and ends. */
export const turnHandlers: Record<string, Handler> = {
  'turn-queued': (draft, event) =>
    setTurn(draft, event, { status: 'queued', position: number(event.data.position) }),
  'turn-started': startTurn,
  'turn-suspended': (draft, event) => {
    setTurn(draft, event, { status: 'waiting' })
    noteWaits(draft, event)
  },
  'turn-resumed': resumeTurn,
  'turn-ended': endTurn,
}

function setTurn(draft: Draft, event: ChatEvent, change: Partial<Turn>): void {
  const turn_id = event.turn_id
  if (turn_id === null) return
  const known = draft.turns[turn_id] ?? {
    turn_id,
    status: 'queued',
    position: null,
    model: null,
    started_at: null,
  }
  draft.turns[turn_id] = { ...known, ...change, started_at: known.started_at ?? change.started_at ?? null }
  draft.active = turn_id
}

function startTurn(draft: Draft, event: ChatEvent): void {
  const model = text(event.data.model)
  setTurn(draft, event, { status: 'running', model, started_at: event.created_at, position: null })
}

/** Going on after a sleep is nothing to tell; going on after a lost worker is. */
function resumeTurn(draft: Draft, event: ChatEvent): void {
  const slept = event.turn_id !== null && draft.turns[event.turn_id]?.status === 'waiting'
  setTurn(draft, event, { status: 'running' })
  if (!slept) addNotice(draft, event, 'recovered', say('chat.recovered'))
}

function endTurn(draft: Draft, event: ChatEvent): void {
  const status = text(event.data.status) ?? 'completed'
  setTurn(draft, event, { status: status as Turn['status'], position: null })
  draft.active = null
  let silent = true
  draft.items.forEach((item, place) => {
    if (item.turn_id !== event.turn_id) return
    if (item.kind === 'text' || item.kind === 'error') silent = false
    draft.items[place] = closed(item, event)
  })
  const { reason, duration_ms } = event.data
  const ending = { status, reason: text(reason), duration_ms: number(duration_ms), silent }
  add(draft, { ...placed(event), kind: 'end', ...ending })
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
