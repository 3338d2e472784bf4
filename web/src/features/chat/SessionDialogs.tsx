import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field } from '@/ui/Field'
import { type Session, useDeleteSession, useRenameSession } from './queries'

export function RenameDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const rename = useRenameSession()

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const title = String(new FormData(event.currentTarget).get('title')).trim()
    if (title !== '') rename(session.id, title)
    onClose()
  }

  return (
    <Dialog title="Rename chat" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Field
          label="Title"
          name="title"
          defaultValue={session.title ?? ''}
          maxLength={200}
          required
          autoFocus
        />
        <div className="actions">
          <Button look="plain" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" writes>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

type DeleteProps = { session: Session; isCurrent: boolean; onClose: () => void }

export function DeleteDialog({ session, isCurrent, onClose }: DeleteProps) {
  const remove = useDeleteSession()
  const navigate = useNavigate()

  function confirm() {
    remove.mutate(session.id, {
      onSuccess: () => {
        onClose()
        if (isCurrent) void navigate({ to: '/' })
      },
    })
  }

  return (
    <Dialog title="Delete this chat?" onClose={onClose}>
      <p>
        <strong>{session.title || 'New chat'}</strong> and its messages are deleted, and a turn that runs is
        stopped. Agents, runs and files that came of it stay.
      </p>
      <div className="actions">
        <Button look="plain" onClick={onClose} autoFocus>
          Keep
        </Button>
        <Button look="danger" writes busy={remove.isPending} onClick={confirm}>
          Delete
        </Button>
      </div>
    </Dialog>
  )
}
