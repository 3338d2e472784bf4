import { type Change, changesIn } from './changes'

const VERBS = { more: 'Added', less: 'Removed', other: 'Changed' } as const

/** What is different between two versions, in words. */
export function Changes({ diff, none }: { diff: unknown; none: string }) {
  const changes = changesIn(diff)
  if (changes.length === 0) return <p className="quiet">{none}</p>
  return (
    <ul className="steps changes" aria-label="Changes">
      {changes.map((change) => (
        <li key={`${change.kind} ${change.what}`}>
          {VERBS[change.kind]} {change.what}
          {change.kind === 'other' && <Sides change={change} />}
        </li>
      ))}
    </ul>
  )
}

function Sides({ change: { from, to } }: { change: Change }) {
  if (to === null) return <>: no value any more</>
  return (
    <>
      : {from !== null && <del>{from || 'empty'}</del>} <ins>{to || 'empty'}</ins>
    </>
  )
}
