import { expect, test } from 'vitest'
import { versionChoices } from './versionChoices'

test('B11: what is compared can be chosen, also when its page of versions was not loaded', () => {
  const listed = [30, 29, 28].map((version) => ({ version }))
  expect(versionChoices(listed, [29, 30])).toEqual(['30', '29', '28'])
  expect(versionChoices(listed, [28, 4, 12])).toEqual(['30', '29', '28', '12', '4'])
  expect(versionChoices([], [2, 2])).toEqual(['2'])
})
