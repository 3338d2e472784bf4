import type { Schemas } from '@/api/shapes'

type Run = Pick<Schemas['RunOut'], 'id' | 'created_at' | 'ended_at'>

/** The runs that one can be compared with, newest first: those that have ended, each once, however they were found. */
export function othersOf<Other extends Run>(run_id: string, found: readonly (Other | undefined)[]): Other[] {
  const others = new Map<string, Other>()
  for (const one of found) {
    if (one && one.id !== run_id && one.ended_at !== null) others.set(one.id, one)
  }
  return [...others.values()].sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
}

/** Which of them is shown at first: the one that the run goes back to, else the newest. */
export function firstOther<Other extends Run>(
  others: readonly Other[],
  origin: string | undefined,
): Other | undefined {
  return others.find(({ id }) => id === origin) ?? others[0]
}
