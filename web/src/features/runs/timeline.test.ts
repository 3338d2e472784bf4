import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Phase, phasesOf, sharesOf } from './timeline'

const at = (seconds: number) => new Date(seconds * 1000).toISOString()
const moment = (seconds: number, type: string, said: string | null = null) => ({
  at: at(seconds),
  type,
  said,
})

test('R2: a step that waits, stands ready and runs again has each as a phase', () => {
  const log = [
    moment(1, 'step.started'),
    moment(2, 'step.output', 'text'),
    moment(3, 'step.waiting', 'timer'),
    moment(6, 'step.waiting'),
    moment(7, 'step.started'),
    moment(9, 'step.finished', 'completed'),
  ]
  expect(phasesOf({ log, ended_at: at(9) }, 0)).toEqual([
    { kind: 'run', from: 1000, to: 3000 },
    { kind: 'wait', from: 3000, to: 6000 },
    { kind: 'queue', from: 6000, to: 7000 },
    { kind: 'run', from: 7000, to: 9000 },
  ])
})

test('R2: what still goes on goes on until now', () => {
  const log = [moment(1, 'step.started'), moment(2, 'step.retry', 'timed out')]
  expect(phasesOf({ log, ended_at: null }, 5000).at(-1)).toEqual({ kind: 'wait', from: 2000, to: 5000 })
})

test('R2: a step that took no time is there all the same', () => {
  const log = [moment(1, 'step.started'), moment(1, 'step.finished', 'completed')]
  expect(phasesOf({ log, ended_at: at(1) }, 0)).toEqual([{ kind: 'run', from: 1000, to: 1000 }])
})

test('R2: a run is at work when any of its steps is, and what nobody did was queueing', () => {
  const phases: Phase[] = [
    { kind: 'run', from: 2, to: 4 },
    { kind: 'wait', from: 3, to: 8 },
  ]
  expect(sharesOf(phases, 0, 10)).toEqual({ run: 2, wait: 4, queue: 4 })
})

const phase = fc.record({
  kind: fc.constantFrom('run' as const, 'wait' as const, 'queue' as const),
  from: fc.nat(90),
  to: fc.integer({ min: 91, max: 120 }),
})

test('R2: the shares are together the whole life of the run', () => {
  fc.assert(
    fc.property(fc.array(phase), (phases) => {
      const { run, wait, queue } = sharesOf(phases, 10, 100)
      expect(run + wait + queue).toBe(90)
    }),
  )
})
