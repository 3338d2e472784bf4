import { expect, test } from 'vitest'
import { rowsIn, rowsWith } from './useRowWindow'

test('R2: of 2,000 rows only those in sight are rendered, and a few beside them', () => {
  expect(rowsIn(0, 400, 28, 2000)).toEqual({ first: 0, last: 25 })
  expect(rowsIn(28_000, 400, 28, 2000)).toEqual({ first: 990, last: 1025 })
  expect(rowsIn(56_000, 400, 28, 2000)).toEqual({ first: 1990, last: 2000 })
  expect(rowsIn(9_999, 400, 28, 3)).toEqual({ first: 3, last: 3 })
})

test('R1: a row that is jumped to is there wherever it stands, in its order', () => {
  expect(rowsWith({ first: 3, last: 6 }, -1)).toEqual([3, 4, 5])
  expect(rowsWith({ first: 3, last: 6 }, 5)).toEqual([3, 4, 5])
  expect(rowsWith({ first: 3, last: 6 }, 900)).toEqual([3, 4, 5, 900])
  expect(rowsWith({ first: 3, last: 6 }, 0)).toEqual([0, 3, 4, 5])
})
