import { fields, list, number, text } from '@/kit/json'
import { say, sayStatus } from '@/kit/say'
import { add, addNotice, type Draft, type Handler, placed, toolKey } from './draft'
import type { ChatEvent } from './events'
import type { ToolItem } from './view'

/** Tool calls: one item each, from its first word to its result. A second result changes nothing. */
export const toolHandlers: Record<string, Handler> = {
  'tool-input-start': (draft, event) => void toolAt(draft, event),
  'tool-input-delta': (draft, event) =>
    setTool(draft, event, (tool) => ({ typed: tool.typed + (text(event.data.delta) ?? '') })),
  'tool-input-available': (draft, event) =>
    setTool(draft, event, () => ({ status: 'running', input: event.data.input, typed: '' })),
  'tool-output-available': endTool,
  'tool-output-error': failTool,
  background: noteBackground,
}

function toolAt(draft: Draft, event: ChatEvent): number {
  const call = String(event.data.tool_call_id)
  const known = draft.places[toolKey(event.turn_id, call)]
  if (known !== undefined) return known
  const tool = text(event.data.tool) ?? 'tool'
  const nothingYet = {
    ...{ input: undefined, output: undefined, error: null, duration_ms: null, ended_at: null },
    ...{ waits_for: null, background: null },
  }
  return add(draft, {
    ...placed(event),
    kind: 'tool',
    call,
    tool,
    status: 'preparing',
    typed: '',
    ...nothingYet,
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
    error: failed
      ? { code: text(said.error) ?? 'error', message: text(said.message) ?? say('chat.itFailed') }
      : null,
    duration_ms: number(event.data.duration_ms),
    ended_at: event.created_at,
    waits_for: null,
    background: text(said.background_id) === null ? null : 'running',
  }))
}

/** A turn sleeps: each of these calls waits for a run or another session. */
export function noteWaits(draft: Draft, event: ChatEvent): void {
  for (const wait of list(event.data.waits_for).map(fields)) {
    const place = draft.places[toolKey(event.turn_id, text(wait.tool_call_id) ?? '')]
    const item = place === undefined ? undefined : draft.items[place]
    const [kind, id] = [text(wait.kind), text(wait.id)]
    if (place === undefined || item?.kind !== 'tool' || kind === null || id === null) continue
    draft.items[place] = { ...item, waits_for: { kind, id } }
  }
}

function failTool(draft: Draft, event: ChatEvent): void {
  const code = text(event.data.code) ?? 'error'
  setTool(draft, event, () => ({
    status: code === 'interrupted' || code === 'cancelled' ? 'cancelled' : 'failed',
    error: { code, message: text(event.data.message) ?? say('chat.itFailed') },
    duration_ms: number(event.data.duration_ms),
    ended_at: event.created_at,
  }))
}

function noteBackground(draft: Draft, event: ChatEvent): void {
  const state = text(event.data.state)
  if (state === null || state === 'running' || state === 'parked') return
  draft.items.forEach((item, place) => {
    if (item.kind !== 'tool' || fields(item.output).background_id !== event.data.background_id) return
    draft.items[place] = { ...item, background: state }
  })
  addNotice(
    draft,
    event,
    'background',
    say('chat.backgroundIs', { tool: text(event.data.tool) ?? 'tool', state: sayStatus(state) }),
  )
}
