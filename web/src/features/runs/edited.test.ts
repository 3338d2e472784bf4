import { expect, test } from 'vitest'
import { editableInputs, editedInputs, NotJson } from './edited'

const large = { $value: 'ab'.repeat(32), bytes: 40_000, preview: '' }
const inputs = {
  words: 'hello',
  limit: 3,
  credentials: { id: 'x' },
  smtp_credentials: null,
  file: large,
  letter: { to: 'Ada', pages: ['one', large] },
}

test('B15: text is edited as text and the rest as JSON; secrets and what is too large stay', () => {
  expect(editableInputs(inputs)).toEqual([
    { pin: 'words', isText: true, words: 'hello' },
    { pin: 'limit', isText: false, words: '3' },
  ])
  expect(editableInputs(null)).toEqual([])
})

test('B15: only what was changed is sent', () => {
  const before = editableInputs(inputs)
  expect(editedInputs(before, {})).toEqual({})
  expect(editedInputs(before, { words: 'hello', limit: '4' })).toEqual({ limit: 4 })
  expect(editedInputs(before, { words: '4' })).toEqual({ words: '4' })
  expect(() => editedInputs(before, { limit: 'four' })).toThrow(NotJson)
})
