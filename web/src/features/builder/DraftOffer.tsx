import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { When } from '@/ui/When'
import type { Draft } from './draft'

type Props = { draft: Draft; current: number; onTakeUp: () => void; onDrop: () => void }

/** Changes of an earlier visit that were never saved. */
export function DraftOffer({ draft, current, onTakeUp, onDrop }: Props) {
  return (
    <section className="panel stack tight" aria-label={say('versions.draft')}>
      <p>
        {say('versions.draft.said')} <When at={draft.at} />.
        {draft.version !== current && ` ${say('versions.draft.from', { version: draft.version })}`}
      </p>
      <div className="row">
        <Button onClick={onTakeUp}>{say('versions.draft.take')}</Button>
        <Button look="plain" onClick={onDrop}>
          {say('versions.draft.drop')}
        </Button>
      </div>
    </section>
  )
}
