import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isHidden, remove, settleAll, UNDO_MILLIS } from './removals'
import { spokenToasts } from './toasts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function undo(): void {
  spokenToasts().at(-1)?.action?.act()
}

test('D8: what is deleted is hidden at once and sent when it can no longer be taken back', async () => {
  const send = vi.fn(async () => undefined)
  remove({ ids: ['a'], said: 'Deleted a.', send })
  expect([isHidden('a'), send.mock.calls.length]).toEqual([true, 0])
  await vi.advanceTimersByTimeAsync(UNDO_MILLIS)
  expect([isHidden('a'), send.mock.calls.length]).toEqual([true, 1])
})

test('D8: Undo puts it back and nothing is sent', async () => {
  const send = vi.fn(async () => undefined)
  remove({ ids: ['b', 'c'], said: 'Deleted 2.', send })
  undo()
  expect([isHidden('b'), isHidden('c')]).toEqual([false, false])
  await vi.advanceTimersByTimeAsync(UNDO_MILLIS * 2)
  undo()
  settleAll()
  expect(send).not.toHaveBeenCalled()
})

test('D8: a refusal shows it again and says why', async () => {
  const settled = vi.fn()
  remove({ ids: ['d'], said: 'Deleted d.', send: () => Promise.reject(new Error('In use.')), settled })
  await vi.advanceTimersByTimeAsync(UNDO_MILLIS)
  expect(isHidden('d')).toBe(false)
  expect(spokenToasts().at(-1)).toMatchObject({ tone: 'bad', message: 'In use.' })
  expect(settled).toHaveBeenCalledOnce()
})

test('D8: whoever leaves has made up their mind: all is sent once', async () => {
  const send = vi.fn(async () => undefined)
  remove({ ids: ['e'], said: 'Deleted e.', send })
  settleAll()
  settleAll()
  await vi.advanceTimersByTimeAsync(UNDO_MILLIS)
  expect(send).toHaveBeenCalledOnce()
})
