/** What was, what is, and what was taken back. */
export type History<T> = { past: readonly T[]; present: T; future: readonly T[] }

const DEPTH = 200

export function begin<T>(present: T): History<T> {
  return { past: [], present, future: [] }
}

export function step<T>(history: History<T>, present: T): History<T> {
  if (present === history.present) return history
  return { past: [...history.past, history.present].slice(-DEPTH), present, future: [] }
}

export function undo<T>(history: History<T>): History<T> {
  const before = history.past.at(-1)
  if (before === undefined) return history
  return { past: history.past.slice(0, -1), present: before, future: [history.present, ...history.future] }
}

export function redo<T>(history: History<T>): History<T> {
  const [after, ...rest] = history.future
  if (after === undefined) return history
  return { past: [...history.past, history.present], present: after, future: rest }
}
