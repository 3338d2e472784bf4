import { Changes } from '@/features/agents/Changes'
import type { Fields } from '@/kit/json'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import type { Conflict } from './useSaving'

type Props = Conflict & {
  /** What is about to be saved, as a difference from what was opened. */
  mine: Fields
  busy: boolean
  onMine: () => void
  onTheirs: () => void
  onCopy: () => void
  onClose: () => void
}

/** Somebody saved in between. Nothing is overwritten unless it is asked for. */
export function ConflictDialog({ current, diff, mine, busy, onMine, onTheirs, onCopy, onClose }: Props) {
  const newer = current === null ? say('versions.conflict.newer') : say('versions.name', { version: current })
  return (
    <Dialog title={say('versions.conflict.title')} wide onClose={onClose}>
      <p>{say('versions.conflict.said', { version: newer })}</p>
      <h3>{say('versions.conflict.whatTheirs')}</h3>
      <Changes diff={diff} none={say('versions.conflict.theirsNone')} />
      <h3>{say('versions.conflict.whatMine')}</h3>
      <Changes
        diff={mine}
        none={say('versions.conflict.mineNone')}
        label={say('versions.conflict.whatMine')}
      />
      <div className="actions wrap">
        <Button look="plain" onClick={onClose}>
          {say('versions.conflict.keep')}
        </Button>
        <Button look="plain" onClick={onTheirs}>
          {say('versions.conflict.theirs')}
        </Button>
        <Button look="plain" writes busy={busy} onClick={onCopy}>
          {say('versions.conflict.copy')}
        </Button>
        <Button writes busy={busy} onClick={onMine}>
          {say('versions.conflict.mine')}
        </Button>
      </div>
    </Dialog>
  )
}
