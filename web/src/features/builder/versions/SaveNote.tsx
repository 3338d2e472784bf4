import { type FormEvent, useState } from 'react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { AreaField } from '@/ui/Field'

type Props = { onSave: (note: string) => void; onClose: () => void }

/** What a version is for, said when it is saved. */
export function SaveNote({ onSave, onClose }: Props) {
  const [note, setNote] = useState('')
  function submit(event: FormEvent) {
    event.preventDefault()
    onSave(note.trim())
  }
  return (
    <Dialog title={say('versions.saveNote')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <AreaField
          label={say('versions.note')}
          help={say('versions.note.help')}
          optional
          maxLength={2000}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
        <div className="actions">
          <Button look="plain" onClick={onClose}>
            {say('common.cancel')}
          </Button>
          <Button type="submit" writes>
            {say('versions.save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
