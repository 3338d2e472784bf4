import { expect, test } from 'vitest'
import { titleShown } from './title'

test('a space can be typed before the next word', () => {
  expect(titleShown('Two ', 'Two')).toBe('Two ')
})

test('what the block is called by now, after an undo, takes the place of what was typed', () => {
  expect(titleShown('Two words', 'Two')).toBe('Two')
})

test('a block that has a name shows it before anything is typed', () => {
  expect(titleShown('', 'Two')).toBe('Two')
})
