import { english } from './english'
import { recall } from './stored'

export type MessageKey = keyof typeof english
type Values = Readonly<Record<string, string | number>>

/** The text of a key, with its `{names}` filled in. */
export function say(key: MessageKey, values: Values = {}): string {
  return filled(english[key], values)
}

/** The text of a key for a count: the part before ` | ` for one, the part after it for any other number. */
export function sayCount(key: MessageKey, count: number, values: Values = {}): string {
  const [one, other] = english[key].split(' | ')
  return filled((count === 1 ? one : other) ?? english[key], { count, ...values })
}

/** The words of a state that came from the server; one that nobody has words for is told as it is written. */
export function sayStatus(status: string): string {
  return sayIfKnown(`status.${status}`) ?? status.replaceAll('_', ' ')
}

/** The text of a key that was put together from a name of the server's; null when the catalogue has none. */
export function sayIfKnown(key: string): string | null {
  return Object.hasOwn(english, key) ? say(key as MessageKey) : null
}

function filled(text: string, values: Values): string {
  return spoken(text).replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** In the pseudo-language every letter wears an accent, so that a text from elsewhere is seen at once. */
function spoken(text: string): string {
  if (!PSEUDO) return text
  return text.replace(/\{\w+\}|[aeiouAEIOU]/g, (part) => ACCENTED[part] ?? part)
}

const PSEUDO = recall('pilothouse.language') === 'pseudo'

const ACCENTED: Readonly<Record<string, string>> = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ó',
  u: 'ú',
  A: 'Á',
  E: 'É',
  I: 'Í',
  O: 'Ó',
  U: 'Ú',
}
