import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptyRun, foldRun, type RunEvent } from './reducer'

const at = '2026-01-01T00:00:00Z'
const events: RunEvent[] = [
  { id: 1, type: 'run.status', at, status: 'queued', inputs: {} },
  { id: 2, type: 'run.status', at, status: 'running' },
  { id: 3, type: 'step.started', at, step_id: 1, node_id: 'greet', attempt: 1, inputs: {} },
  { id: 4, type: 'step.output', at, step_id: 1, node_id: 'greet', pin: 'text', ordinal: 0, value: 'hello' },
  { id: 5, type: 'step.finished', at, step_id: 1, node_id: 'greet', status: 'completed', error: null },
  { id: 6, type: 'run.output', at, step_id: 2, node_id: 'out', name: 'greeting', value: 'hello' },
  { id: 7, type: 'run.finished', at, status: 'completed', reason: null },
]

test('a whole log becomes steps, results and a status', () => {
  expect(foldRun(emptyRun, events)).toEqual({
    last: 7,
    status: 'completed',
    started_at: at,
    ended_at: at,
    reason: null,
    results: [{ name: 'greeting', value: 'hello' }],
    steps: {
      1: {
        step_id: 1,
        node_id: 'greet',
        status: 'completed',
        attempt: 1,
        waiting: null,
        child_id: null,
        outputs: [{ pin: 'text', value: 'hello' }],
        error: null,
        started_at: at,
        ended_at: at,
      },
    },
  })
})

test('a retry shows why, and the next attempt shows that it runs', () => {
  const error = { message: 'timed out' }
  const failed = foldRun(emptyRun, [{ id: 1, type: 'step.retry', at, step_id: 4, node_id: 'n', error }])
  expect(failed.steps[4]).toMatchObject({ status: 'waiting', error: 'timed out' })
  const again = foldRun(failed, [{ id: 2, type: 'step.started', at, step_id: 4, node_id: 'n', attempt: 2 }])
  expect(again.steps[4]).toMatchObject({ status: 'running', attempt: 2 })
})

test('a step says what it waits for, and no longer when that came', () => {
  const step = { step_id: 4, node_id: 'n', at }
  const asked = foldRun(emptyRun, [{ ...step, id: 1, type: 'review.requested', review_id: 'r' }])
  expect(asked.steps[4]).toMatchObject({ status: 'waiting', waiting: { kind: 'review', review_id: 'r' } })
  const decided = foldRun(asked, [{ ...step, id: 2, type: 'review.decided', review_id: 'r' }])
  expect(decided.steps[4]).toMatchObject({ status: 'ready', waiting: null })
  const waits = { wait: 'child', due: null, ref: { run_id: 'c' }, over: false }
  const child = foldRun(decided, [{ ...step, id: 3, type: 'step.waiting', ...waits }])
  expect(child.steps[4]).toMatchObject({ waiting: { kind: 'child' }, child_id: 'c' })
  const over = foldRun(child, [{ ...step, id: 4, type: 'step.waiting', over: true }])
  expect(over.steps[4]).toMatchObject({ waiting: null, child_id: 'c' })
})

test('a run that was stopped leaves no step waiting', () => {
  const asked = { step_id: 4, node_id: 'n', at, id: 1, type: 'review.requested', review_id: 'r' }
  const ended = foldRun(emptyRun, [asked, { id: 2, type: 'run.finished', at, status: 'cancelled' }])
  expect(ended.steps[4]).toMatchObject({ status: 'cancelled', waiting: null, ended_at: at })
})

test('kinds of events that this page does not know are passed over', () => {
  expect(foldRun(emptyRun, [{ id: 1, type: 'run.warning', at }])).toEqual({ ...emptyRun, last: 1 })
})

const anyLog = fc
  .array(
    fc.record({
      type: fc.constantFrom(
        ...events.map((event) => event.type),
        'step.retry',
        'step.waiting',
        'review.requested',
        'other',
      ),
      step_id: fc.nat(3),
      node_id: fc.constant('n'),
      pin: fc.constant('out'),
      name: fc.constant('result'),
      value: fc.jsonValue(),
      status: fc.constantFrom('running', 'completed', 'failed'),
      attempt: fc.integer({ min: 1, max: 3 }),
      error: fc.option(fc.record({ message: fc.string() })),
    }),
    { maxLength: 40 },
  )
  .map((drafts): RunEvent[] => drafts.map((draft, index) => ({ ...draft, id: index + 1, at })))

test('C1: folding in pieces, or again, gives an equal view', () => {
  fc.assert(
    fc.property(anyLog, fc.nat(40), fc.nat(5), (log, cut, early) => {
      const whole = foldRun(emptyRun, log)
      const before = foldRun(emptyRun, log.slice(0, cut))
      expect(foldRun(before, log.slice(Math.max(0, cut - early)))).toEqual(whole)
      expect(foldRun(whole, log)).toBe(whole)
    }),
  )
})
