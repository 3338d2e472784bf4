import { expect, test, vi } from 'vitest'
import { keptOnTop, laidOver } from './dialogs'

/** As much of an element as is asked of one here. */
function stub() {
  const held: unknown[] = []
  return { held, append: (one: unknown) => held.push(one) } as unknown as HTMLDialogElement & {
    held: unknown[]
  }
}

test('D5: what must be heard goes into the topmost dialog and back, and is moved only when that changes', () => {
  const [region, home, first, second] = [stub(), stub(), stub(), stub()]
  const moved = vi.fn()
  const leave = keptOnTop(region, home, moved)
  expect(home.held).toEqual([region])
  const liftFirst = laidOver(first)
  const liftSecond = laidOver(second)
  expect([first.held, second.held]).toEqual([[region], [region]])
  liftFirst() // one below: the region stays where it is
  expect(moved).toHaveBeenCalledTimes(3)
  liftSecond()
  expect(home.held).toEqual([region, region])
  leave()
  laidOver(first)()
  expect(moved).toHaveBeenCalledTimes(4)
})
