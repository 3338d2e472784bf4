import { Changes } from '@/features/agents/Changes'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import type { Conflict } from './useSaving'

type Props = Conflict & {
  busy: boolean
  onMine: () => void
  onTheirs: () => void
  onClose: () => void
}

/** Somebody saved in between. Nothing is overwritten unless it is asked for. */
export function ConflictDialog({ current, diff, busy, onMine, onTheirs, onClose }: Props) {
  return (
    <Dialog title="This agent was changed meanwhile" onClose={onClose}>
      <p>
        {current === null ? 'A newer version' : `Version ${current}`} was saved after you opened it. Versions
        are kept, so nothing is lost either way.
      </p>
      <Changes diff={diff} none="It moved blocks on the canvas and changed nothing else." />
      <div className="actions">
        <Button look="plain" onClick={onClose}>
          Keep editing
        </Button>
        <Button look="plain" onClick={onTheirs}>
          Load theirs
        </Button>
        <Button writes busy={busy} onClick={onMine}>
          Save mine on top
        </Button>
      </div>
    </Dialog>
  )
}
