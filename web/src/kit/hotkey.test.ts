import { expect, test } from 'vitest'
import { isMeant } from './hotkey'

const pressed = (key: string, more: Partial<KeyboardEvent> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  isComposing: false,
  ...more,
})
const page = { isTyping: false, isBehind: false }

test('D4: a key of the page does nothing while a dialog lies over it', () => {
  const find = { key: 'f', mod: true }
  expect(isMeant(find, pressed('f', { ctrlKey: true }), page)).toBe(true)
  expect(isMeant(find, pressed('f', { ctrlKey: true }), { ...page, isBehind: true })).toBe(false)
  expect(isMeant({ key: '/' }, pressed('/'), { ...page, isBehind: true })).toBe(false)
})

test('D4: the palette opens from anywhere', () => {
  const palette = { key: 'k', mod: true, overDialogs: true }
  expect(isMeant(palette, pressed('K', { metaKey: true }), { isTyping: true, isBehind: true })).toBe(true)
})

test('plain keys are letters while somebody types', () => {
  expect(isMeant({ key: '/' }, pressed('/'), { ...page, isTyping: true })).toBe(false)
  expect(isMeant({ key: '/' }, pressed('/'), page)).toBe(true)
})

test('Shift counts where it is asked for', () => {
  const undo = { key: 'z', mod: true, shift: false, whileTyping: false }
  expect(isMeant(undo, pressed('z', { ctrlKey: true }), page)).toBe(true)
  expect(isMeant(undo, pressed('Z', { ctrlKey: true, shiftKey: true }), page)).toBe(false)
  expect(isMeant(undo, pressed('z', { ctrlKey: true }), { ...page, isTyping: true })).toBe(false)
})
