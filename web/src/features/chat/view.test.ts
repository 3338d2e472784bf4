import { expect, test } from 'vitest'
import { logOf } from './fixtures'
import { foldChat } from './reducer'
import { emptyChat, hasArrived } from './view'

test('AP3: what the server has listed as waiting, or logged, is no longer ours to show', () => {
  const said = { message_id: 'm1', text: 'build it', file_ids: [], origin: 'web' }
  const view = foldChat(emptyChat, logOf([['user-message', said, null]]))
  expect(hasArrived('m1', view, undefined)).toBe(true)
  expect(hasArrived('m2', view, undefined)).toBe(false)
  expect(hasArrived('m2', view, [{ message_id: 'm2' }])).toBe(true)
})
