import { expect, test } from 'vitest'
import { REAL, tried } from './dryRun'

const ask = { inputs: { name: 'Ada' }, version: 2, credentials: { mail: { id: 'c' } } }

test('L4: a run that is meant is asked for as it is', () => {
  expect(tried(ask, REAL, 'r')).toEqual(ask)
})

test('L4: a dry run names no credential', () => {
  expect(tried(ask, { dry: true, answers: 'stub' }, 'r')).toEqual({
    inputs: { name: 'Ada' },
    version: 2,
    dry_run: true,
  })
})

test('L4: a dry run answers with the records of a run only where there is one', () => {
  const trial = { dry: true, answers: 'recorded' } as const
  expect(tried(ask, trial, 'r').dry_run).toEqual({ mode: 'recorded', run_id: 'r' })
  expect(tried(ask, trial, null).dry_run).toBe(true)
})

test('L4: a dry run lets a model answer when asked to', () => {
  expect(tried(ask, { dry: true, answers: 'simulate' }, null).dry_run).toEqual({ mode: 'simulate' })
})
