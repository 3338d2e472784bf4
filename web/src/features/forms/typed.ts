import { say } from '@/kit/say'
import type { Kind } from './kinds'

/** A value as it stands in a field. */
export function written(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What was typed as a value of its kind, or in words why it is none. Nothing typed is no value. */
export function readAs(kind: Kind, words: string): { value: unknown } | { fault: string } {
  if (words === '') return { value: undefined }
  if (kind === 'number' || kind === 'integer') return readNumber(kind, words)
  return kind === 'any' ? readAny(words) : { value: words }
}

function readNumber(kind: Kind, words: string): { value: unknown } | { fault: string } {
  const number = Number(words)
  if (words.trim() === '' || !Number.isFinite(number)) return { fault: say('forms.number') }
  if (kind === 'integer' && !Number.isInteger(number)) return { fault: say('forms.whole') }
  return { value: number }
}

/** A field that takes anything: JSON when it is JSON, else the text itself. */
function readAny(words: string): { value: unknown } | { fault: string } {
  try {
    return { value: JSON.parse(words) as unknown }
  } catch {
    return /^\s*[[{]/.test(words) ? { fault: say('forms.json') } : { value: words }
  }
}
