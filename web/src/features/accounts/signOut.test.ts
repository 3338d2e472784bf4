import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { remove, settleAll } from '@/ui/removals'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('D8: who signs out waits until what they deleted is gone: a stranger may delete nothing', async () => {
  const done: string[] = []
  const send = async () => {
    await Promise.resolve()
    done.push('deleted')
  }
  remove({ ids: ['x'], said: 'Deleted x.', send })
  await settleAll()
  done.push('signed out')
  expect(done).toEqual(['deleted', 'signed out'])
})
