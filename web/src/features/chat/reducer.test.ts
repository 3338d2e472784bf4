import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChatEvent } from './events'
import { logOf, wholeTurn } from './fixtures'
import { foldChat } from './reducer'
import { activeTurn, emptyChat, isLogged } from './view'

const fold = (events: readonly ChatEvent[]) => foldChat(emptyChat, events)

test('a whole turn becomes items in the order of the log', () => {
  const view = fold(wholeTurn)
  expect(view.items.map((item) => item.kind)).toEqual([
    'user',
    'notice',
    'reasoning',
    'tool',
    'tool',
    'user',
    'text',
    'end',
  ])
  expect(view.title).toBe('A greeter')
  expect(activeTurn(view)).toBeNull()
  expect(view.items[6]).toMatchObject({ text: 'Hello there', done: true })
  expect(view.items[7]).toMatchObject({ status: 'completed', silent: false, duration_ms: 900 })
})

test('AP14: a call is one item from its first word to its result', () => {
  const tools = fold(wholeTurn).items.filter((item) => item.kind === 'tool')
  expect(tools).toMatchObject([
    { call: 'c1', status: 'completed', input: { query: 'text' }, duration_ms: 12 },
    { call: 'c2', status: 'failed', error: { code: 'guide_required' } },
  ])
})

test('AP20: a message that waited becomes a bubble where the log took it in', () => {
  const view = fold(wholeTurn)
  expect(isLogged(view, 'm2')).toBe(true)
  expect(view.items[5]).toMatchObject({ kind: 'user', text: 'and quickly' })
})

test('AP4: messages that outlived a stopped turn stand before the one that opens the next', () => {
  const view = fold(
    logOf([
      ['user-message', { message_id: 'm3', text: 'three', arrival_at: 3, file_ids: ['f'] }],
      ['turn-started', { model: 'm' }],
      [
        'follow-up',
        {
          message_ids: ['m1', 'm2', 'm4'],
          texts: ['one', 'two', 'four'],
          arrivals: [1, 2, 4],
          file_ids: [[], ['f', 'g'], []],
        },
      ],
    ]),
  )
  const shown = view.items.flatMap((item) => (item.kind === 'user' ? [[item.text, item.files]] : []))
  expect(shown).toEqual([
    ['one', 0],
    ['two', 2],
    ['three', 1],
    ['four', 0],
  ])
  expect(
    view.items.every(
      (item, place) => item.kind !== 'user' || view.places[`message:${item.message_id}`] === place,
    ),
  ).toBe(true)
})

test('AP12: reasoning knows when it began and ended, and an empty one holds nothing', () => {
  const view = fold(
    logOf([
      ['reasoning-start', { id: 'r' }],
      ['reasoning-end', { id: 'r', text: '' }],
    ]),
  )
  expect(view.items).toMatchObject([
    { kind: 'reasoning', text: '', done: true, ended_at: '2026-01-01T00:00:01.000Z' },
  ])
})

test('AP4: what is open when a turn is stopped is cancelled, and the text stays', () => {
  const view = fold(
    logOf([
      ['turn-started', { model: 'm' }],
      ['text-start', { id: 'x' }],
      ['text-delta', { id: 'x', delta: 'half', offset: 0 }],
      ['tool-input-available', { tool_call_id: 'c', tool: 'run_agent', input: {} }],
      ['turn-ended', { status: 'cancelled', reason: 'user', duration_ms: 5 }],
    ]),
  )
  expect(view.items).toMatchObject([
    { kind: 'text', text: 'half', done: true },
    { kind: 'tool', status: 'cancelled' },
    { kind: 'end', status: 'cancelled' },
  ])
})

test('a second result of the same call is ignored', () => {
  const twice = logOf([
    ['tool-input-available', { tool_call_id: 'c', tool: 'find_block', input: {} }],
    ['tool-output-available', { tool_call_id: 'c', output: { type: 'block_list' }, success: true }],
    ['tool-output-available', { tool_call_id: 'c', output: { type: 'other' }, success: false }],
  ])
  expect(fold(twice).items).toMatchObject([{ status: 'completed', output: { type: 'block_list' } }])
})

test('a given-up model call takes its parts with it, and what follows still finds its place', () => {
  const view = fold(
    logOf([
      ['text-start', { id: 'a' }],
      ['text-delta', { id: 'a', delta: 'wrong', offset: 0 }],
      ['notice', { code: 'n', level: 'info', message: 'kept' }],
      ['step-reset', { part_ids: ['a'] }],
      ['text-start', { id: 'b' }],
      ['text-delta', { id: 'b', delta: 'right', offset: 0 }],
    ]),
  )
  expect(view.items).toMatchObject([{ kind: 'notice' }, { kind: 'text', part: 'b', text: 'right' }])
})

test('the end of a text sets it, also when its pieces were trimmed away', () => {
  const [, end] = logOf([
    ['text-start', { id: 'x' }],
    ['text-end', { id: 'x', text: 'all of it' }],
  ])
  expect(fold([end as ChatEvent]).items).toMatchObject([{ text: 'all of it', done: true }])
})

test('AP24: errors and notices keep their code and whether trying again helps', () => {
  const view = fold(
    logOf([
      ['error', { code: 'idle_timeout', retryable: true, message: 'Nothing came.' }],
      ['compaction', { up_to_event: 1 }],
      ['turn-resumed', { attempt: 2, model: 'm' }],
    ]),
  )
  expect(view.items).toMatchObject([
    { kind: 'error', code: 'idle_timeout', retryable: true },
    { kind: 'notice', code: 'compaction' },
    { kind: 'notice', code: 'recovered' },
  ])
})

test('going on after a sleep is no news', () => {
  const view = fold(
    logOf([
      ['turn-started', {}],
      ['turn-suspended', { waits_for: [] }],
      ['turn-resumed', {}],
    ]),
  )
  expect(view.items).toEqual([])
  expect(activeTurn(view)).toMatchObject({ status: 'running' })
})

const TYPES = [
  ...new Set(wholeTurn.map((event) => event.type)),
  'step-reset',
  'turn-queued',
  'error',
  'never-heard-of',
]
const anyEvent = fc.record({
  type: fc.constantFrom(...TYPES),
  turn_id: fc.constantFrom('t1', 't2'),
  data: fc.record({
    id: fc.constantFrom('a', 'b'),
    tool_call_id: fc.constantFrom('c', 'd'),
    delta: fc.string({ maxLength: 4 }),
    text: fc.string({ maxLength: 4 }),
    message_id: fc.uuid(),
    message_ids: fc.array(fc.uuid(), { maxLength: 2 }),
    texts: fc.array(fc.string({ maxLength: 3 }), { maxLength: 2 }),
    part_ids: fc.subarray(['a', 'b', 'c', 'd']),
    success: fc.boolean(),
    status: fc.constantFrom('completed', 'failed', 'cancelled'),
  }),
})
const anyLog = fc.array(anyEvent, { maxLength: 60 }).map((drafts): ChatEvent[] =>
  drafts.map((draft, index) => ({
    ...draft,
    id: index + 1,
    session_id: 's',
    created_at: `2026-01-01T00:00:${index}`,
  })),
)

test('C1: folding in pieces, or again, gives an equal view', () => {
  fc.assert(
    fc.property(anyLog, fc.array(fc.nat(60)), (log, cuts) => {
      const whole = fold(log)
      const places = [0, ...cuts.map((cut) => Math.min(cut, log.length)).sort((a, b) => a - b), log.length]
      let view = emptyChat
      places.forEach((end, index) => {
        // Each piece begins a little early, as a reader does that resumes.
        view = foldChat(view, log.slice(Math.max(0, (places[index - 1] ?? 0) - 3), end))
      })
      expect(view).toEqual(whole)
      expect(foldChat(whole, log)).toBe(whole)
    }),
  )
})

test('C1: what an event does not touch stays the same object', () => {
  const before = fold(wholeTurn)
  const after = foldChat(
    before,
    logOf([...wholeTurn.map(() => ['x'] as const), ['notice', { message: 'more' }]]),
  )
  expect(after.items.slice(0, before.items.length).every((item, index) => item === before.items[index])).toBe(
    true,
  )
})

test('Q2: ten thousand events fold within 200 ms on a quiet machine, ten times that on a busy one', () => {
  const log = logOf(
    Array.from({ length: 10_000 }, (_, index) =>
      index % 100 === 0
        ? (['text-start', { id: `p${index}` }] as const)
        : (['text-delta', { id: `p${index - (index % 100)}`, delta: 'word ' }] as const),
    ),
  )
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now()
    for (let at = 0; at < log.length; at += 20) foldChat(emptyChat, log.slice(at, at + 20))
    fold(log)
    return performance.now() - began
  })
  expect(Math.min(...times)).toBeLessThan(2_000)
})
