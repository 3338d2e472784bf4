import type { ChatEvent } from './events'

type Entry = readonly [type: string, data?: object, turn?: string | null]

/** Logs for the tests, in the words of the server's own vocabulary. */
export function logOf(entries: readonly Entry[]): ChatEvent[] {
  return entries.map(([type, data = {}, turn_id = 't1'], index) => ({
    id: index + 1,
    session_id: 's1',
    turn_id,
    type,
    created_at: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
    data: data as ChatEvent['data'],
  }))
}

const thoughts: readonly Entry[] = [
  ['user-message', { message_id: 'm1', text: 'build it', file_ids: [], origin: 'web' }, null],
  ['turn-started', { attempt: 1, model: 'offline', mode: null, tier: null }],
  ['context', { blocks: [] }],
  [
    'notice',
    { code: 'offline_pilot', level: 'info', message: 'The offline pilot answers.', retryable: false },
  ],
  ['start-step', { step: 1 }],
  ['reasoning-start', { id: 'r1' }],
  ['reasoning-delta', { id: 'r1', delta: 'Let me ', offset: 0 }],
  ['reasoning-delta', { id: 'r1', delta: 'see.', offset: 7 }],
  ['reasoning-end', { id: 'r1', text: 'Let me see.' }],
]

const calls: readonly Entry[] = [
  ['tool-input-start', { tool_call_id: 'c1', tool: 'find_block' }],
  ['tool-input-delta', { tool_call_id: 'c1', delta: '{"query":' }],
  [
    'tool-input-available',
    { tool_call_id: 'c1', tool: 'find_block', input: { query: 'text' }, idempotency_key: 'k' },
  ],
  ['tool-input-available', { tool_call_id: 'c2', tool: 'create_agent', input: { name: 'Greeter' } }],
  [
    'tool-output-available',
    {
      tool_call_id: 'c1',
      tool: 'find_block',
      output: { type: 'block_list', blocks: [{ id: 'b' }] },
      success: true,
      duration_ms: 12,
    },
  ],
  [
    'tool-output-error',
    { tool_call_id: 'c2', tool: 'create_agent', code: 'guide_required', message: 'Read the guide first.' },
  ],
  ['finish-step', { step: 1 }],
  ['follow-up', { message_ids: ['m2'], texts: ['and quickly'], after_tool_call_id: 'c2' }],
]

const answer: readonly Entry[] = [
  ['start-step', { step: 2 }],
  ['text-start', { id: 'x1' }],
  ['text-delta', { id: 'x1', delta: 'Hello ', offset: 0 }],
  ['text-delta', { id: 'x1', delta: 'there', offset: 6 }],
  ['text-end', { id: 'x1', text: 'Hello there' }],
  ['finish-step', { step: 2 }],
  ['title', { title: 'A greeter' }, null],
  ['turn-ended', { status: 'completed', reason: null, duration_ms: 900 }],
]

/** A turn that thinks, calls two tools, takes in a follow-up and answers. */
export const wholeTurn = logOf([...thoughts, ...calls, ...answer])
