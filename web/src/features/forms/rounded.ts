/** Whole numbers that a number of this language cannot hold: it would take their neighbour instead. Pure. */

const WHOLE = /^\s*[+-]?\d+\s*$/
const STRINGS = /"(?:[^"\\]|\\.)*"/g
const NUMBERS = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Whether these words are a whole number, and it would be another one. */
export function isRounded(words: string): boolean {
  return WHOLE.test(words) && !Number.isSafeInteger(Number(words))
}

/** Whether a JSON text has such a number anywhere in it. */
export function holdsRounded(json: string): boolean {
  return (json.replaceAll(STRINGS, '').match(NUMBERS) ?? []).some(isRounded)
}
