import { type Fields, list } from '@/kit/json'
import { say } from '@/kit/say'
import { type Kind, shapeOf } from './kinds'
import { holdsRounded, isRounded } from './rounded'

/** What was typed as a value, or in words why it is none. */
export type Read = { value: unknown } | { fault: string }

/** A value as it stands in a field. */
export function written(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What was typed as a value of its kind, or in words why it is none. Nothing typed is no value. */
export function readAs(kind: Kind, words: string): Read {
  if (words === '') return { value: undefined }
  if (kind === 'number' || kind === 'integer') return readNumber(kind, words)
  return kind === 'any' ? readAny(words) : { value: words }
}

function readNumber(kind: Kind, words: string): Read {
  const number = Number(words)
  if (words.trim() === '' || !Number.isFinite(number)) return { fault: say('forms.number') }
  if (kind === 'integer' && !Number.isInteger(number)) return { fault: say('forms.whole') }
  if (isRounded(words)) return { fault: say('forms.large') }
  return { value: number }
}

/** A field that takes anything: JSON when it is JSON, else the text itself. A number that JSON would change is text. */
function readAny(words: string): Read {
  if (isRounded(words)) return { value: words }
  try {
    const value = JSON.parse(words) as unknown
    return holdsRounded(words) ? { fault: say('forms.large_inside') } : { value }
  } catch {
    return /^\s*[[{]/.test(words) ? { fault: say('forms.json') } : { value: words }
  }
}

/** How the cells of a column are read: as what it declares, where a line can hold that, else as anything. */
export function columnKind(name: string, column: Fields, root: Fields): Kind {
  const { kind, schema } = shapeOf(name, column, root)
  if (kind === 'number' || kind === 'integer') return kind
  const isText = schema.type === 'string' || list(schema.type)[0] === 'string'
  return isText ? 'text' : 'any'
}

/** What was typed into a cell. One that takes anything takes what looks like JSON and is none as text. */
export function readCell(kind: Kind, words: string): Read {
  const read = readAs(kind, words)
  return kind === 'any' && 'fault' in read ? { value: words } : read
}
