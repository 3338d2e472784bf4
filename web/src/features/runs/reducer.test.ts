import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptyRun, foldRun, type RunEvent } from './reducer'

const at = '2026-01-01T00:00:00Z'
const events: RunEvent[] = [
  { id: 1, type: 'run.status', at, status: 'queued', inputs: {} },
  { id: 2, type: 'run.status', at, status: 'running' },
  { id: 3, type: 'step.started', at, step_id: 1, node_id: 'greet', attempt: 1, inputs: { name: 'World' } },
  { id: 4, type: 'step.output', at, step_id: 1, node_id: 'greet', pin: 'text', ordinal: 0, value: 'hello' },
  {
    id: 5,
    type: 'step.finished',
    at,
    step_id: 1,
    node_id: 'greet',
    status: 'completed',
    error: null,
    cost_microdollars: { openai: 10, groq: 20 },
  },
  { id: 6, type: 'run.output', at, step_id: 2, node_id: 'out', name: 'greeting', value: 'hello' },
  { id: 7, type: 'run.finished', at, status: 'completed', reason: null },
]

test('L4: a run says what stood in for the outside', () => {
  const { dry_run } = foldRun(emptyRun, [
    { id: 1, type: 'run.status', at, status: 'queued', dry_run: 'simulate' },
    { id: 2, type: 'run.status', at, status: 'running' },
  ])
  expect(dry_run).toBe('simulate')
})

test('a whole log becomes steps, results and a status', () => {
  expect(foldRun(emptyRun, events)).toEqual({
    last: 7,
    status: 'completed',
    started_at: at,
    ended_at: at,
    reason: null,
    dry_run: null,
    takeovers: [],
    cost_microdollars: 30,
    results: [{ name: 'greeting', value: 'hello' }],
    steps: {
      1: {
        step_id: 1,
        node_id: 'greet',
        status: 'completed',
        recorded: false,
        attempt: 1,
        attempts: [{ attempt: 1, started_at: at, ended_at: at, error: null }],
        waiting: null,
        child_id: null,
        inputs: { name: 'World' },
        outputs: [{ pin: 'text', value: 'hello' }],
        error: null,
        cost_microdollars: 30,
        log: [
          { at, type: 'step.started', said: null },
          { at, type: 'step.output', said: 'text' },
          { at, type: 'step.finished', said: 'completed' },
        ],
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

test('B14: every attempt is kept with its times and its error', () => {
  const step = { step_id: 4, node_id: 'n' }
  const { steps } = foldRun(emptyRun, [
    { ...step, id: 1, type: 'step.started', at: '2026-01-01T00:00:01Z', attempt: 1, inputs: {} },
    {
      ...step,
      id: 2,
      type: 'step.retry',
      at: '2026-01-01T00:00:02Z',
      attempt: 1,
      error: { message: 'busy' },
    },
    { ...step, id: 3, type: 'step.started', at: '2026-01-01T00:00:03Z', attempt: 2, again: true },
    { ...step, id: 4, type: 'step.finished', at: '2026-01-01T00:00:04Z', status: 'completed', error: null },
  ])
  expect(steps[4]?.attempts).toEqual([
    { attempt: 1, started_at: '2026-01-01T00:00:01Z', ended_at: '2026-01-01T00:00:02Z', error: 'busy' },
    { attempt: 2, started_at: '2026-01-01T00:00:03Z', ended_at: '2026-01-01T00:00:04Z', error: null },
  ])
  expect(steps[4]).toMatchObject({ inputs: {}, started_at: '2026-01-01T00:00:01Z', error: null })
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
      cost_microdollars: fc.dictionary(fc.constantFrom('a', 'b'), fc.nat(100)),
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

test('C1: a view that was given out is never changed by what is folded later', () => {
  fc.assert(
    fc.property(anyLog, fc.nat(40), (log, cut) => {
      const before = foldRun(emptyRun, log.slice(0, cut))
      const kept = structuredClone(before)
      foldRun(before, log)
      expect(before).toEqual(kept)
    }),
  )
})

test('Q2: ten thousand events are folded in well under a second; the time is printed', () => {
  const log: RunEvent[] = []
  for (let step = 1; log.length < 10_000; step++) {
    const of = { at, step_id: step, node_id: `n${step % 1_000}` }
    log.push({ ...of, id: log.length + 1, type: 'step.started', attempt: 1, inputs: { step } })
    for (let nth = 0; nth < 3; nth++)
      log.push({
        ...of,
        id: log.length + 1,
        type: 'step.output',
        pin: 'out',
        ordinal: nth,
        value: 'x'.repeat(50),
      })
    log.push({ ...of, id: log.length + 1, type: 'step.finished', status: 'completed', error: null })
  }
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now()
    let view = emptyRun
    for (let from = 0; from < log.length; from += 400) view = foldRun(view, log.slice(from, from + 400))
    expect(view.last).toBe(log.length)
    return performance.now() - began
  })
  const best = Math.min(...times)
  // biome-ignore lint/suspicious/noConsole: a measurement is there to be read
  console.info(`Q2: ${log.length} run events folded in ${best.toFixed(1)} ms (bar 200)`)
  expect(best).toBeLessThan(2_000)
})

test('R2: a run that is taken up while it runs was taken over; one that waited was not', () => {
  const running = (id: number, at: string) => ({ id, type: 'run.status', at, status: 'running' })
  const waiting = { id: 2, type: 'run.status', at, status: 'waiting' }
  const later = '2026-01-01T00:01:00Z'
  expect(foldRun(emptyRun, [running(1, at), waiting, running(3, later)]).takeovers).toEqual([])
  expect(foldRun(emptyRun, [running(1, at), running(2, later)]).takeovers).toEqual([later])
})
