import { expect, test } from 'vitest'
import { problemOf } from './errors'

test('a typed error keeps its words, its hint and its faults', () => {
  const problem = problemOf(
    {
      code: 'validation_failed',
      message: 'Some values were refused.',
      hint: 'Mend them.',
      detail: { errors: [{ path: 'body.email', code: 'value_error', message: 'must be a mail address' }] },
      request_id: 'r1',
    },
    422,
  )
  expect(problem.message).toBe('Some values were refused.')
  expect(problem.hint).toBe('Mend them.')
  expect(problem.faults).toEqual([{ path: 'body.email', message: 'must be a mail address' }])
  expect(problem.requestId).toBe('r1')
})

test('a body that is no error of ours can still be shown', () => {
  expect(problemOf('<html>', 502).message).toBe('The server answered 502.')
  expect(problemOf(undefined, 500).code).toBe('internal')
})
