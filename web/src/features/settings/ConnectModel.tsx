import { type FormEvent, useState } from 'react'
import { Button } from '@/ui/Button'
import { ChoiceField, Field } from '@/ui/Field'
import { ErrorPanel } from '@/ui/States'
import { toast } from '@/ui/toasts'
import { type Connected, useCreateModelConnection } from './connections'
import { asked, KINDS, kindLabelled } from './kinds'

const LABELS = KINDS.map((kind) => kind.label)

/** Connect a provider. It is asked for a word first; a key that is refused is not kept. */
export function ConnectModel() {
  const create = useCreateModelConnection()
  const [label, setLabel] = useState(LABELS[0] ?? '')
  const kind = kindLabelled(label)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    create.mutate(asked(kind, new FormData(form)), {
      onSuccess: ({ made }) => {
        if (!made) return
        form.reset()
        toast(`${made.name} is connected.`)
      },
    })
  }

  return (
    <form className="stack" onSubmit={submit} aria-label="Connect a model">
      <ChoiceField
        label="Provider"
        name="kind"
        choices={LABELS}
        value={label}
        onChange={(event) => setLabel(event.target.value)}
      />
      {kind.url !== undefined && (
        <Field
          label="Address"
          name="base_url"
          type="url"
          placeholder={kind.url}
          required
          help="Where the server listens. It may be on this machine."
        />
      )}
      {kind.kind === 'openai_compatible' && (
        <Field
          label="Name"
          name="name"
          required
          help="What its models' names begin with, such as my-server."
        />
      )}
      <Field
        label="Key"
        name="api_key"
        type="password"
        autoComplete="off"
        required={kind.key === 'needed'}
        optional={kind.key === 'optional'}
        help="Kept sealed. It is never shown again, but for its last four characters."
      />
      <Field
        label="Model"
        name="model"
        required={kind.kind === 'openai_compatible'}
        optional={kind.kind !== 'openai_compatible'}
        help="The one that answers when a chat names none."
      />
      {create.error && <ErrorPanel problem={create.error} />}
      <Refusal connected={create.data} />
      <div>
        <Button type="submit" writes busy={create.isPending}>
          Test and connect
        </Button>
      </div>
    </form>
  )
}

function Refusal({ connected }: { connected: Connected | undefined }) {
  if (!connected || connected.made) return null
  const { message, code } = connected.tested
  return <ErrorPanel problem={{ message, code: code ?? '', hint: 'Nothing was kept.' }} />
}
