import { useSyncExternalStore } from 'react'
import { say } from '@/kit/say'
import { toast, toastProblem } from './toasts'

export const UNDO_MILLIS = 8_000

type Removal = {
  /** What is hidden while it can be taken back. */
  ids: readonly string[]
  said: string
  /** Really delete. It may be called while the page goes away, so the request must outlive it (`keepalive`). */
  send: () => Promise<unknown>
  /** Afterwards, whether it was deleted or not. */
  settled?: () => void
}

let hidden: ReadonlySet<string> = new Set()
const waiting = new Map<Removal, ReturnType<typeof setTimeout>>()
const watchers = new Set<() => void>()

/** Hide something at once and delete it a little later, unless somebody takes that back. A refusal shows it again. */
export function remove(removal: Removal): void {
  hide(removal.ids)
  waiting.set(
    removal,
    setTimeout(() => void settle(removal), UNDO_MILLIS),
  )
  toast(removal.said, { action: { label: say('common.undo'), act: () => takeBack(removal) } })
}

/** Whoever leaves has made up their mind. Done when all is sent and answered. */
export async function settleAll(): Promise<void> {
  await Promise.all([...waiting.keys()].map(settle))
}

function takeBack(removal: Removal): void {
  if (!waiting.has(removal)) return
  clearTimeout(waiting.get(removal))
  waiting.delete(removal)
  show(removal.ids)
}

async function settle(removal: Removal): Promise<void> {
  clearTimeout(waiting.get(removal))
  waiting.delete(removal)
  try {
    await removal.send()
  } catch (problem) {
    show(removal.ids)
    toastProblem(problem instanceof Error ? problem : new Error(String(problem)))
  }
  removal.settled?.()
}

function hide(ids: readonly string[]): void {
  become(new Set([...hidden, ...ids]))
}

function show(ids: readonly string[]): void {
  become(new Set([...hidden].filter((id) => !ids.includes(id))))
}

function become(changed: ReadonlySet<string>): void {
  hidden = changed
  for (const watcher of watchers) watcher()
}

export function isHidden(id: string): boolean {
  return hidden.has(id)
}

/** The ids that no list shows: they are deleted, or about to be. */
export function useHidden(): ReadonlySet<string> {
  return useSyncExternalStore(
    (changed) => {
      watchers.add(changed)
      return () => watchers.delete(changed)
    },
    () => hidden,
  )
}
