import { expect, test } from 'vitest'
import { type Toast, withRoom } from './toasts'

let next = 1

function said(message: string, tone: Toast['tone'] = 'plain', hasAction = false): Toast {
  const action = hasAction ? { label: 'Undo', act: () => undefined } : null
  return { id: next++, tone, message, requestId: null, action, topic: null }
}

const standing = (...all: Toast[]) =>
  all.reduce((before: readonly Toast[], one) => withRoom(before, one), []).map(({ message }) => message)

test('three stand, and the oldest that only tells something goes first', () => {
  expect(standing(said('a', 'bad'), said('b', 'plain', true), said('c'), said('d'))).toEqual(['a', 'b', 'd'])
})

test('what can be pressed goes before what went wrong', () => {
  expect(standing(said('a', 'bad'), said('b', 'plain', true), said('c', 'bad'), said('d'))).toEqual([
    'a',
    'c',
    'd',
  ])
})

test('what went wrong goes only for something else that went wrong', () => {
  const three = [said('a', 'bad'), said('b', 'bad'), said('c', 'bad')]
  expect(standing(...three, said('d', 'bad'))).toEqual(['b', 'c', 'd'])
  expect(standing(...three, said('d', 'plain', true))).toEqual(['a', 'b', 'c', 'd'])
  expect(standing(...three, said('d'), said('e'))).toEqual(['a', 'b', 'c', 'e'])
  expect(standing(...three, said('d'), said('e', 'bad'))).toEqual(['a', 'b', 'c', 'e'])
})

test('what is said later of the same takes its place', () => {
  const of = (message: string, topic: string | null) => ({ ...said(message), topic })
  expect(standing(of('saved 1', 'saved'), of('copied', null), of('saved 2', 'saved'))).toEqual([
    'copied',
    'saved 2',
  ])
  expect(standing(of('copied', null), of('copied', null))).toEqual(['copied', 'copied'])
})
