import { say } from '@/kit/say'
import { type Change, changesIn } from './changes'

const VERBS = { more: 'agents.added', less: 'agents.removed', other: 'agents.changed' } as const

/** What is different between two versions, in words. */
export function Changes({ diff, none }: { diff: unknown; none: string }) {
  const changes = changesIn(diff)
  if (changes.length === 0) return <p className="quiet">{none}</p>
  return (
    <ul className="steps changes" aria-label={say('agents.changes')}>
      {changes.map((change) => (
        <li key={`${change.kind} ${change.what}`}>
          {say(VERBS[change.kind])} {change.what}
          {change.kind === 'other' && <Sides change={change} />}
        </li>
      ))}
    </ul>
  )
}

function Sides({ change: { from, to } }: { change: Change }) {
  if (to === null) return say('agents.noValue')
  return (
    <>
      : {from !== null && <del>{from || say('agents.empty')}</del>} <ins>{to || say('agents.empty')}</ins>
    </>
  )
}
