import { text } from '@/kit/json'
import { add, type Draft, type Handler, partKey, placed } from './draft'
import type { ChatEvent } from './events'

/** What the model says and thinks, piece by piece. */
export const textHandlers: Record<string, Handler> = {
  'text-start': (draft, event) => void textAt(draft, event, 'text'),
  'text-delta': (draft, event) => addDelta(draft, event, 'text'),
  'text-end': (draft, event) => endText(draft, event, 'text'),
  'reasoning-start': (draft, event) => void textAt(draft, event, 'reasoning'),
  'reasoning-delta': (draft, event) => addDelta(draft, event, 'reasoning'),
  'reasoning-end': (draft, event) => endText(draft, event, 'reasoning'),
}

type Kind = 'text' | 'reasoning'

function textAt(draft: Draft, event: ChatEvent, kind: Kind): number {
  const part = String(event.data.id)
  const known = draft.places[partKey(part)]
  if (known !== undefined) return known
  const blank = { ...placed(event), part, text: '', done: false }
  return add(draft, kind === 'text' ? { ...blank, kind } : { ...blank, kind, ended_at: null })
}

/** Ids put the pieces in order, each once; `offset` counts characters as the server does and is not needed here. */
function addDelta(draft: Draft, event: ChatEvent, kind: Kind): void {
  const place = textAt(draft, event, kind)
  const item = draft.items[place]
  if (item === undefined || !('part' in item) || item.done) return
  draft.items[place] = { ...item, text: item.text + (text(event.data.delta) ?? '') }
}

/** The end holds the whole text and sets it: pieces may have been trimmed away since. */
function endText(draft: Draft, event: ChatEvent, kind: Kind): void {
  const place = textAt(draft, event, kind)
  const item = draft.items[place]
  if (item === undefined || !('part' in item)) return
  const whole = { text: text(event.data.text) ?? item.text, done: true }
  draft.items[place] =
    item.kind === 'reasoning' ? { ...item, ...whole, ended_at: event.created_at } : { ...item, ...whole }
}
