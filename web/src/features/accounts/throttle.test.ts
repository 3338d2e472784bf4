import { expect, test } from 'vitest'
import { waitOf } from './throttle'

test.each([
  [null, 'Wait a minute, then try again.'],
  [1, 'Try again in 1 second.'],
  [42, 'Try again in 42 seconds.'],
  [180, 'Try again in 3 minutes.'],
])('F5: %s seconds are told as "%s"', (seconds, said) => expect(waitOf(seconds)).toBe(said))
