import { type ReactNode, useRef } from 'react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { toast } from '@/ui/toasts'
import { Coverage } from './Coverage'
import { ImportProblem } from './ImportProblem'
import { useImportAgent, usePreviewImport } from './importing'

type Props = {
  onImported: (agentId: string) => void
  /** What begins it, where it is no button of its own. */
  children?: (choose: () => void) => ReactNode
}

/** Choose a file, see what it would make, and only then store it. */
export function ImportAgent({ onImported, children }: Props) {
  const chooser = useRef<HTMLInputElement>(null)
  const preview = usePreviewImport()
  const store = useImportAgent()
  const name = preview.data?.seen.name || say('agents.import.untitled')
  const problem = preview.error ?? store.error
  const choose = () => chooser.current?.click()

  function close() {
    preview.reset()
    store.reset()
  }

  return (
    <>
      <input
        ref={chooser}
        type="file"
        hidden
        accept="application/json,.json"
        aria-label={say('agents.import.file')}
        onChange={(event) => {
          const file = event.target.files?.[0]
          event.target.value = ''
          if (file) preview.mutate(file)
        }}
      />
      {children?.(choose) ?? (
        <Button look="plain" writes busy={preview.isPending} onClick={choose}>
          {say('agents.import')}
        </Button>
      )}
      {problem && (
        <Dialog title={say('agents.import.titleFailed')} onClose={close}>
          <ImportProblem problem={problem} />
        </Dialog>
      )}
      {preview.data && !problem && (
        <Dialog title={say('agents.import.title', { name })} onClose={close}>
          <Coverage report={preview.data.seen.report} />
          <div className="actions">
            <Button look="plain" onClick={close}>
              {say('agents.import.cancel')}
            </Button>
            <Button
              writes
              busy={store.isPending}
              onClick={() =>
                store.mutate(preview.data.file, {
                  onSuccess: (made) => {
                    toast(say('agents.imported', { name }))
                    onImported(made.agent_id)
                  },
                })
              }
            >
              {say('agents.import.confirm')}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
