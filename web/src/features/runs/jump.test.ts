import { expect, test } from 'vitest'
import { leastShown } from './jump'

const steps = Array.from({ length: 1_000 }, (_, nth) => ({ step_id: nth + 1 }))

test('R1: the list reaches at least to the step that was jumped to', () => {
  expect(leastShown(steps, 200, [null, null])).toBe(200)
  expect(leastShown(steps, 200, [7, null])).toBe(200)
  expect(leastShown(steps, 200, [7, 640])).toBe(640)
  expect(leastShown(steps, 800, [640, 640])).toBe(800)
  expect(leastShown(steps, 200, [5_000, null])).toBe(200)
})
