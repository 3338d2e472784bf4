/** What was, what is, and what was taken back. `mark` names the step that is still being made. */
export type History<T> = { past: readonly T[]; present: T; future: readonly T[]; mark: string | null }

const DEPTH = 200

export function begin<T>(present: T): History<T> {
  return { past: [], present, future: [], mark: null }
}

/** Go on to another present. Steps of one mark in a row, such as the letters typed into one field, are one step. */
export function step<T>(history: History<T>, present: T, mark: string | null = null): History<T> {
  if (present === history.present) return history
  if (mark !== null && mark === history.mark) return { ...history, present, future: [] }
  return { past: [...history.past, history.present].slice(-DEPTH), present, future: [], mark }
}

export function undo<T>(history: History<T>): History<T> {
  const before = history.past.at(-1)
  if (before === undefined) return history
  const future = [history.present, ...history.future]
  return { past: history.past.slice(0, -1), present: before, future, mark: null }
}

export function redo<T>(history: History<T>): History<T> {
  const [after, ...rest] = history.future
  if (after === undefined) return history
  return { past: [...history.past, history.present], present: after, future: rest, mark: null }
}
