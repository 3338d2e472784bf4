import { list, number, own, text } from '@/kit/json'
import { say } from '@/kit/say'
import { add, addNotice, type Draft, type Handler, keepOnly, messageKey, placed } from './draft'
import type { ChatEvent } from './events'
import { textHandlers } from './foldText'
import { toolHandlers } from './foldTools'
import { turnHandlers } from './foldTurns'
import type { ChatView } from './view'

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
    own(HANDLERS, event.type)?.(draft, event)
  }
  return draft
}

/** Types that are not here (`context`, `usage`, steps, what later versions add) show nothing. */
const HANDLERS: Record<string, Handler> = {
  ...turnHandlers,
  ...textHandlers,
  ...toolHandlers,
  'user-message': addUser,
  'follow-up': addFollowUps,
  'step-reset': resetStep,
  compaction: (draft, event) => addNotice(draft, event, 'compaction', say('chat.compaction')),
  notice: (draft, { data, ...event }) =>
    addNotice(
      draft,
      { data, ...event },
      text(data.code) ?? '',
      text(data.message) ?? '',
      text(data.level) ?? 'info',
    ),
  error: addError,
  title: (draft, event) => {
    draft.title = text(event.data.title)
  },
}

function addUser(draft: Draft, event: ChatEvent): void {
  const { message_id, text: words, file_ids, arrival_at } = event.data
  addMessage(draft, event, text(message_id) ?? String(event.id), words, file_ids, arrival_at)
}

/** Messages that waited. Those that came before the one that opened the turn lead it, as they do for the model. */
function addFollowUps(draft: Draft, event: ChatEvent): void {
  const { message_ids, texts, file_ids, arrivals } = event.data
  const last = draft.items.at(-1)
  const opening = last?.kind === 'user' && last.turn_id === event.turn_id ? last : null
  if (opening) draft.items.pop()
  const addWhere = (isHere: (arrived: number) => boolean) =>
    list(message_ids).forEach((message_id, index) => {
      const arrived = number(list(arrivals)[index]) ?? 0
      if (isHere(arrived))
        addMessage(draft, event, String(message_id), list(texts)[index], list(file_ids)[index], arrived)
    })
  addWhere((arrived) => opening !== null && arrived <= opening.arrived)
  if (opening) add(draft, opening)
  addWhere((arrived) => opening === null || arrived > opening.arrived)
}

function addMessage(
  draft: Draft,
  event: ChatEvent,
  message_id: string,
  words: unknown,
  file_ids: unknown,
  arrival: unknown,
): void {
  if (draft.places[messageKey(message_id)] !== undefined) return
  const said = { text: text(words) ?? '', files: list(file_ids).length, arrived: number(arrival) ?? 0 }
  add(draft, { ...placed(event), kind: 'user', message_id, ...said })
}

/** An abandoned model call said these parts; it will say them again. */
function resetStep(draft: Draft, event: ChatEvent): void {
  const parts = new Set(list(event.data.part_ids).map(String))
  keepOnly(draft, (item) => {
    if ('part' in item) return !parts.has(item.part)
    return item.kind !== 'tool' || !parts.has(item.call)
  })
}

function addError(draft: Draft, event: ChatEvent): void {
  const { code, message, retryable } = event.data
  add(draft, {
    ...placed(event),
    kind: 'error',
    code: text(code) ?? 'internal',
    message: text(message) ?? say('chat.wrong'),
    retryable: retryable === true,
  })
}
