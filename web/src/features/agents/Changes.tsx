import { type MessageKey, say } from '@/kit/say'
import { type Change, changesIn } from './changes'

const VERBS: Readonly<Record<Change['kind'], MessageKey>> = {
  more: 'versions.added',
  less: 'versions.removed',
  other: 'versions.changed',
}

type Props = { diff: unknown; none: string; label?: string }

/** What is different between two versions, in words. */
export function Changes({ diff, none, label = say('versions.changes') }: Props) {
  const changes = changesIn(diff)
  if (changes.length === 0) return <p className="quiet">{none}</p>
  return (
    <ul className="steps changes" aria-label={label}>
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
  if (to === null) return <>: {say('versions.noValue')}</>
  const empty = say('versions.empty')
  return (
    <>
      : {from !== null && <del>{from || empty}</del>} <ins>{to || empty}</ins>
    </>
  )
}
