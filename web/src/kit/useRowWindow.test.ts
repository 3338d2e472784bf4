import { expect, test } from 'vitest'
import { rowsIn } from './useRowWindow'

test('R2: of 2,000 rows only those in sight are rendered, and a few beside them', () => {
  expect(rowsIn(0, 400, 28, 2000)).toEqual({ first: 0, last: 25 })
  expect(rowsIn(28_000, 400, 28, 2000)).toEqual({ first: 990, last: 1025 })
  expect(rowsIn(56_000, 400, 28, 2000)).toEqual({ first: 1990, last: 2000 })
  expect(rowsIn(9_999, 400, 28, 3)).toEqual({ first: 3, last: 3 })
})
