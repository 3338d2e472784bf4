import { fields, number, text } from '@/kit/json'

/**
 * Values that are too large for a run's log. The log shows where each one stood by its beginning and its hash; small
 * objects and lists stay as they are, and only their large parts are shown so. Pure.
 */

export type Large = { hash: string; bytes: number; preview: string }
export type LargePart = Large & { path: readonly string[] }

/** What stands in the log for a large value; null for every other value. */
export function largeValue(value: unknown): Large | null {
  const { $value, bytes, preview } = fields(value)
  const hash = text($value)
  const size = number(bytes)
  if (hash === null || size === null || !/^[\da-f]{64}$/.test(hash)) return null
  return { hash, bytes: size, preview: text(preview) ?? '' }
}

/** Everything in a value that only its beginning is known of, and where it stands; the value itself has no path. */
export function largeParts(value: unknown, path: readonly string[] = []): LargePart[] {
  if (typeof value !== 'object' || value === null) return []
  const large = largeValue(value)
  if (large !== null) return [{ ...large, path }]
  return Object.entries(value).flatMap(([name, part]) => largeParts(part, [...path, name]))
}

/** The value as it can be shown: each large part by its beginning. */
export function previewed(value: unknown): unknown {
  return replaced(value, ({ preview }) => `${beginningOf(preview)}…`)
}

/** The value as it was, once its large parts are there, by their hashes. */
export function filledIn(value: unknown, wholes: ReadonlyMap<string, unknown>): unknown {
  return replaced(value, ({ hash }) => wholes.get(hash))
}

function replaced(value: unknown, by: (large: Large) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const large = largeValue(value)
  if (large !== null) return by(large)
  if (Array.isArray(value)) return value.map((part) => replaced(part, by))
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, replaced(part, by)]))
}

/** A preview is cut out of JSON: of a text it has the opening quote, and perhaps half an escape at its end. */
function beginningOf(preview: string): string {
  if (!preview.startsWith('"')) return preview
  for (const cut of [preview, preview.replace(/\\(u[\da-f]{0,3})?$/i, '')]) {
    try {
      return String(JSON.parse(`${cut}"`))
    } catch {
      // The end was no whole sign; the next try leaves it out.
    }
  }
  return preview
}
