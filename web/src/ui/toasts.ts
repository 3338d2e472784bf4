import { useSyncExternalStore } from 'react'

export type Toast = {
  id: number
  tone: 'plain' | 'bad'
  message: string
  requestId: string | null
  action: { label: string; act: () => void } | null
  /** What it is about: what is said later of the same takes its place. */
  topic: string | null
}

const MOST = 3
const SECONDS: Record<Toast['tone'], number | null> = { plain: 8, bad: null }

let toasts: readonly Toast[] = []
let next = 1
const watchers = new Set<() => void>()

function become(changed: readonly Toast[]) {
  toasts = changed
  for (const watcher of watchers) watcher()
}

/**
 * Those that stand when one more is said. The newest is always seen and what went wrong stays until it is closed: the
 * oldest plain one goes, rather one that only tells something than one that can be pressed.
 */
export function withRoom(standing: readonly Toast[], said: Toast): readonly Toast[] {
  const others = standing.filter(({ topic }) => topic === null || topic !== said.topic)
  const all = [...others, said]
  if (all.length <= MOST) return all
  const plain = others.filter(({ tone }) => tone === 'plain')
  const leaves =
    plain.find(({ action }) => action === null) ?? plain[0] ?? (said.tone === 'bad' ? others[0] : undefined)
  return all.filter((one) => one !== leaves)
}

/** Say something in the corner. What went wrong stays until it is closed. */
export function toast(message: string, more: Partial<Omit<Toast, 'id' | 'message'>> = {}): number {
  const said: Toast = {
    id: next++,
    tone: 'plain',
    requestId: null,
    action: null,
    topic: null,
    message,
    ...more,
  }
  become(withRoom(toasts, said))
  const seconds = SECONDS[said.tone]
  if (seconds !== null) setTimeout(() => dismiss(said.id), seconds * 1000)
  return said.id
}

/** Say what an action failed with. */
export function toastProblem(problem: Error & { hint?: string | null; requestId?: string | null }): void {
  const message = problem.hint ? `${problem.message} ${problem.hint}` : problem.message
  toast(message, { tone: 'bad', requestId: problem.requestId ?? null })
}

export function dismiss(id: number): void {
  become(toasts.filter((said) => said.id !== id))
}

export function spokenToasts(): readonly Toast[] {
  return toasts
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore((changed) => {
    watchers.add(changed)
    return () => watchers.delete(changed)
  }, spokenToasts)
}
