import type { ChatEvent } from './events'
import type { Item, Turn } from './view'

/** A view while events are folded into it: its own containers, in which items are replaced and never changed. */
export type Draft = {
  last: number
  title: string | null
  items: Item[]
  places: Record<string, number>
  turns: Record<string, Turn>
  active: string | null
}

export type Handler = (draft: Draft, event: ChatEvent) => void

export function placed(event: ChatEvent) {
  return { id: event.id, turn_id: event.turn_id, at: event.created_at }
}

export function add(draft: Draft, item: Item): number {
  const place = draft.items.push(item) - 1
  draft.places[keyOf(item)] = place
  return place
}

export function addNotice(
  draft: Draft,
  event: ChatEvent,
  code: string,
  message: string,
  level = 'info',
): void {
  add(draft, { ...placed(event), kind: 'notice', code, level, message })
}

/** Take items away; what stays is found at its new place. */
export function keepOnly(draft: Draft, stays: (item: Item) => boolean): void {
  draft.items = draft.items.filter(stays)
  draft.places = Object.fromEntries(draft.items.map((item, place) => [keyOf(item), place]))
}

export function messageKey(message_id: string): string {
  return `message:${message_id}`
}

export function partKey(part: string): string {
  return `part:${part}`
}

export function toolKey(turn_id: string | null, call: string): string {
  return `tool:${turn_id}:${call}`
}

function keyOf(item: Item): string {
  if (item.kind === 'user') return messageKey(item.message_id)
  if (item.kind === 'tool') return toolKey(item.turn_id, item.call)
  if (item.kind === 'text' || item.kind === 'reasoning') return partKey(item.part)
  return `at:${item.id}`
}
