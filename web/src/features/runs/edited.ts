import type { Fields } from '@/kit/json'
import { largeParts } from './large'

/** A step's inputs as text to edit, and what was typed as values again. Pure. */

export type Editable = { pin: string; words: string; isText: boolean }

/**
 * The inputs that can be edited. What is secret stays as it was, and so does what has a part that is too large for the
 * log: sent back, what stands in its place would be taken for the value.
 */
export function editableInputs(inputs: Fields | null): Editable[] {
  return Object.entries(inputs ?? {})
    .filter(([pin, value]) => !isHeldBack(pin, value))
    .map(([pin, value]) => {
      const isText = typeof value === 'string'
      return { pin, isText, words: isText ? value : JSON.stringify(value, null, 2) }
    })
}

function isHeldBack(pin: string, value: unknown): boolean {
  return pin.endsWith('credentials') || largeParts(value).length > 0
}

export class NotJson extends Error {
  constructor(readonly pin: string) {
    super(pin)
  }
}

/** Only what differs from what was. Throws `NotJson` for a value that cannot be read. */
export function editedInputs(
  before: readonly Editable[],
  typed: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const changed = before.filter(({ pin, words }) => (typed[pin] ?? words) !== words)
  return Object.fromEntries(
    changed.map(({ pin, isText }) => [pin, isText ? typed[pin] : parsed(pin, typed[pin] ?? '')]),
  )
}

function parsed(pin: string, words: string): unknown {
  try {
    return JSON.parse(words)
  } catch {
    throw new NotJson(pin)
  }
}
