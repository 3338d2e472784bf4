/** What to ask for when a run is only tried. Pure. */
import type { Schemas } from '@/api/shapes'

type Ask = Schemas['RunIn']

/** What blocks that reach outside give in a dry run: their examples, or what they gave in a run that has ended. */
export type Answers = 'stub' | 'recorded'

export type Trial = { dry: boolean; answers: Answers }

export const REAL: Trial = { dry: false, answers: 'stub' }

/** The run to ask for. One that is only tried opens no credential, so none is named. */
export function tried(ask: Ask, { dry, answers }: Trial, records: string | null): Ask {
  if (!dry) return ask
  const { credentials: _, ...rest } = ask
  const recorded = answers === 'recorded' && records !== null
  return { ...rest, dry_run: recorded ? { mode: 'recorded', run_id: records } : true }
}
