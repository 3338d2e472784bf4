import type { Schemas } from '@/api/shapes'
import { say, sayCount } from '@/kit/say'

type Ended = Pick<Schemas['RunOut'], 'not_reached' | 'leftovers' | 'stats'>

/** What stayed empty in a run: its count in words, and a line for each block that never ran or never got all it needs. */
export function stayedEmpty(run: Ended, titleOf: (node_id: string) => string) {
  const waits = run.leftovers.map((left) => left.node_id)
  const silent = run.not_reached.filter((node_id) => !waits.includes(node_id))
  const lines = [
    ...silent.map(titleOf),
    ...run.leftovers.map(({ node_id, filled, missing }) =>
      say(filled.length > 0 ? 'live.leftover' : 'live.leftoverEmpty', {
        name: titleOf(node_id),
        filled: filled.join(', '),
        missing: missing.join(', '),
      }),
    ),
  ]
  const more = Number(run.stats?.leftovers ?? 0) - run.leftovers.length
  const count = lines.length + Math.max(0, more)
  return count === 0 ? null : { title: sayCount('live.emptyParts', count), lines }
}
