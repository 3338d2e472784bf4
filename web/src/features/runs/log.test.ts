import { expect, test } from 'vitest'
import { emptyLog, fold, type RunEvent } from './log'

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
  const log = events.reduce(fold, emptyLog)
  expect(log).toEqual({
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
        outputs: [{ pin: 'text', value: 'hello' }],
        error: null,
      },
    },
  })
})

test('events seen twice change nothing, wherever the stream was cut', () => {
  const whole = events.reduce(fold, emptyLog)
  for (let cut = 0; cut <= events.length; cut++) {
    const before = events.slice(0, cut).reduce(fold, emptyLog)
    expect(events.slice(Math.max(0, cut - 2)).reduce(fold, before)).toEqual(whole)
  }
})

test('a retry shows why, and the next attempt shows that it runs', () => {
  const failed = fold(emptyLog, {
    id: 1,
    type: 'step.retry',
    at,
    step_id: 4,
    node_id: 'n',
    error: { message: 'timed out' },
  })
  expect(failed.steps[4]).toMatchObject({ status: 'waiting', error: 'timed out' })
  const again = fold(failed, { id: 2, type: 'step.started', at, step_id: 4, node_id: 'n', attempt: 2 })
  expect(again.steps[4]).toMatchObject({ status: 'running', attempt: 2 })
})

test('kinds of events that this page does not know are passed over', () => {
  expect(fold(emptyLog, { id: 1, type: 'run.warning', at })).toEqual({ ...emptyLog, last: 1 })
})
