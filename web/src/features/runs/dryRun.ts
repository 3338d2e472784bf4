/** What to ask for when a run is only tried. Pure. */
import type { Schemas } from '@/api/shapes'

type Ask = Schemas['RunIn']

/** What blocks that reach outside give in a dry run: examples, what a model makes up, or what an ended run got. */
export type Answers = 'stub' | 'simulate' | 'recorded'

export type Trial = { dry: boolean; answers: Answers }

export const REAL: Trial = { dry: false, answers: 'stub' }

/** The run to ask for. One that is only tried opens no credential, so none is named. */
export function tried(ask: Ask, { dry, answers }: Trial, records: string | null): Ask {
  if (!dry) return ask
  const { credentials: _, ...rest } = ask
  if (answers === 'simulate') return { ...rest, dry_run: { mode: 'simulate' } }
  const recorded = answers === 'recorded' && records !== null
  return { ...rest, dry_run: recorded ? { mode: 'recorded', run_id: records } : true }
}
