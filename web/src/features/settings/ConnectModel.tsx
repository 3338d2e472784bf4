import { type FormEvent, useState } from 'react'
import { say } from '@/kit/say'
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
        toast(say('settings.connected', { name: made.name }))
      },
    })
  }

  return (
    <form className="stack" onSubmit={submit} aria-label={say('settings.connectModel')}>
      <ChoiceField
        label={say('settings.provider')}
        name="kind"
        choices={LABELS}
        value={label}
        onChange={(event) => setLabel(event.target.value)}
      />
      {kind.url !== undefined && (
        <Field
          label={say('settings.address')}
          name="base_url"
          type="url"
          placeholder={kind.url}
          required
          help={say('settings.addressHelp')}
        />
      )}
      {kind.kind === 'openai_compatible' && (
        <Field
          label={say('settings.providerName')}
          name="name"
          required
          help={say('settings.providerNameHelp')}
        />
      )}
      <Field
        label={say('settings.credentialKey')}
        name="api_key"
        type="password"
        autoComplete="off"
        required={kind.key === 'needed'}
        optional={kind.key === 'optional'}
        help={say('settings.keySealed')}
      />
      <Field
        label={say('settings.model')}
        name="model"
        required={kind.kind === 'openai_compatible'}
        optional={kind.kind !== 'openai_compatible'}
        help={say('settings.modelHelp')}
      />
      {create.error && <ErrorPanel problem={create.error} />}
      <Refusal connected={create.data} />
      <div>
        <Button type="submit" writes busy={create.isPending}>
          {say('settings.testConnect')}
        </Button>
      </div>
    </form>
  )
}

function Refusal({ connected }: { connected: Connected | undefined }) {
  if (!connected || connected.made) return null
  const { message, code } = connected.tested
  return <ErrorPanel problem={{ message, code: code ?? '', hint: say('settings.nothingKept') }} />
}
