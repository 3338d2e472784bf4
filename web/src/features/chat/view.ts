import { messageKey } from './draft'

/** What a session's log says, ready to be shown. Every item stands where its first event stands. */

export type Item = UserItem | TextItem | ReasoningItem | ToolItem | NoticeItem | ErrorItem | EndItem

type Placed = { id: number; turn_id: string | null; at: string }

export type UserItem = Placed & {
  kind: 'user'
  message_id: string
  text: string
  files: number
  /** When it came, as the server's clock has it: messages that open a turn together stand in this order. */
  arrived: number
}
export type TextItem = Placed & { kind: 'text'; part: string; text: string; done: boolean }
export type ReasoningItem = Placed & {
  kind: 'reasoning'
  part: string
  text: string
  done: boolean
  ended_at: string | null
}
export type ToolStatus = 'preparing' | 'running' | 'completed' | 'failed' | 'cancelled' | 'background'
export type ToolItem = Placed & {
  kind: 'tool'
  call: string
  tool: string
  status: ToolStatus
  typed: string
  input: unknown
  output: unknown
  error: { code: string; message: string } | null
  duration_ms: number | null
  ended_at: string | null
  /** What a call that has no result yet waits for. */
  waits_for: { kind: string; id: string } | null
  /** How its work stands, when that went into the background. */
  background: string | null
}
export type NoticeItem = Placed & { kind: 'notice'; code: string; level: string; message: string }
export type ErrorItem = Placed & { kind: 'error'; code: string; message: string; retryable: boolean }
export type EndItem = Placed & {
  kind: 'end'
  status: string
  reason: string | null
  duration_ms: number | null
  silent: boolean
}

export type Turn = {
  turn_id: string
  status: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled'
  position: number | null
  model: string | null
  started_at: string | null
}

export type ChatView = {
  readonly last: number
  readonly title: string | null
  readonly items: readonly Item[]
  /** Where in `items` a part, a tool call or a message is. */
  readonly places: { readonly [key: string]: number }
  readonly turns: { readonly [turn_id: string]: Turn }
  /** The turn that is not over, if there is one. */
  readonly active: string | null
}

export const emptyChat: ChatView = { last: 0, title: null, items: [], places: {}, turns: {}, active: null }

export function activeTurn(view: ChatView): Turn | null {
  return view.active === null ? null : (view.turns[view.active] ?? null)
}

/** Whether a message of this id is in the log, and so needs no chip and no waiting bubble any more. */
export function isLogged(view: ChatView, message_id: string): boolean {
  return view.places[messageKey(message_id)] !== undefined
}

/**
 * Whether the server has shown this message, in the log or among those that wait. From then on it alone knows how
 * the message stands: another tab may take it back.
 */
export function hasArrived(
  message_id: string,
  view: ChatView,
  listed: readonly { message_id: string }[] | undefined,
): boolean {
  return isLogged(view, message_id) || listed?.some((one) => one.message_id === message_id) === true
}

/** The model that answered last. */
export function lastModel(view: ChatView): string | null {
  return Object.values(view.turns).findLast((turn) => turn.model !== null)?.model ?? null
}
