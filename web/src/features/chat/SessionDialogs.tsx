import type { FormEvent } from 'react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field } from '@/ui/Field'
import { type Session, useRenameSession } from './queries'

export function RenameDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const rename = useRenameSession()

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const title = String(new FormData(event.currentTarget).get('title')).trim()
    if (title !== '') rename(session.id, title)
    onClose()
  }

  return (
    <Dialog title={say('chat.renameTitle')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Field
          label={say('chat.title')}
          name="title"
          defaultValue={session.title ?? ''}
          maxLength={200}
          required
          autoFocus
        />
        <div className="actions">
          <Button look="plain" onClick={onClose}>
            {say('common.cancel')}
          </Button>
          <Button type="submit" writes>
            {say('chat.rename')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
