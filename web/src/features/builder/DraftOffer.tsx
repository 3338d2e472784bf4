import { Button } from '@/ui/Button'
import { When } from '@/ui/When'
import type { Draft } from './draft'

type Props = { draft: Draft; current: number; onTakeUp: () => void; onDrop: () => void }

/** Changes of an earlier visit that were never saved. */
export function DraftOffer({ draft, current, onTakeUp, onDrop }: Props) {
  return (
    <section className="panel stack tight" aria-label="Unsaved changes">
      <p>
        There are changes from <When at={draft.at} /> that were not saved.
        {draft.version !== current && ` They were made to version ${draft.version}.`}
      </p>
      <div className="row">
        <Button onClick={onTakeUp}>Take them up</Button>
        <Button look="plain" onClick={onDrop}>
          Drop them
        </Button>
      </div>
    </section>
  )
}
