import { api, unwrap } from '@/api/client'
import type { Copied } from '@/ui/CopyButton'
import { filledIn, largeParts } from './large'

/** Where a large value is read whole. */
export function addressOfValue(run_id: string, hash: string): string {
  return `/api/runs/${run_id}/values/${hash}`
}

/** A value as the run has it; each of its large parts is fetched once. */
export async function wholeValue(
  value: unknown,
  fetched: (hash: string) => Promise<unknown>,
): Promise<unknown> {
  const hashes = [...new Set(largeParts(value).map(({ hash }) => hash))]
  const wholes = await Promise.all(hashes.map(async (hash) => [hash, await fetched(hash)] as const))
  return filledIn(value, new Map(wholes))
}

/** What to copy of a value: at once where all of it is here, else once its large parts have come. */
export function copiedWhole<T>(run_id: string, value: T, words: (value: T) => string): Copied {
  if (largeParts(value).length === 0) return words(value)
  const fetched = (value_hash: string) =>
    unwrap(api.GET('/api/runs/{run_id}/values/{value_hash}', { params: { path: { run_id, value_hash } } }))
  return async () => words((await wholeValue(value, fetched)) as T)
}
