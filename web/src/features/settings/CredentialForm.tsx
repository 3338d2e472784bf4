import { type FormEvent, useState } from 'react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { ChoiceField, Field } from '@/ui/Field'
import { ErrorPanel } from '@/ui/States'
import { toast } from '@/ui/toasts'
import { type Credential, credentialOf, type NewCredential, useCreateCredential } from './credentials'

const KINDS: readonly (readonly [NewCredential['type'], string])[] = [
  ['api_key', say('settings.kindApiKey')],
  ['user_password', say('settings.kindUserPassword')],
  ['host_scoped', say('settings.kindHostScoped')],
]

export function kindOf(type: Credential['type']): string {
  return KINDS.find(([kind]) => kind === type)?.[1] ?? say('settings.kindOauth')
}

/** Keep a key, a password or headers for a host. */
export function CredentialForm({ onDone }: { onDone: (made: Credential) => void }) {
  const create = useCreateCredential()
  const [kind, setKind] = useState<NewCredential['type']>('api_key')

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    create.mutate(credentialOf(kind, new FormData(event.currentTarget)), {
      onSuccess: (made) => {
        toast(say('settings.credentialAdded', { name: made.title }))
        onDone(made)
      },
    })
  }

  return (
    <form className="stack" onSubmit={submit} aria-label={say('settings.addCredential')}>
      <ChoiceField
        label={say('settings.credentialKind')}
        choices={KINDS.map(([, label]) => label)}
        value={kindOf(kind)}
        onChange={({ target }) =>
          setKind(KINDS.find(([, label]) => label === target.value)?.[0] ?? 'api_key')
        }
      />
      <Field label={say('settings.credentialTitle')} name="title" maxLength={200} required />
      {kind === 'host_scoped' ? <HostFields /> : <ProviderFields kind={kind} />}
      {create.error && <ErrorPanel problem={create.error} />}
      <div>
        <Button type="submit" writes busy={create.isPending}>
          {say('settings.add')}
        </Button>
      </div>
    </form>
  )
}

function ProviderFields({ kind }: { kind: 'api_key' | 'user_password' }) {
  return (
    <>
      <Field
        label={say('settings.credentialProvider')}
        name="provider"
        required
        maxLength={64}
        autoCapitalize="off"
        help={say('settings.credentialProviderHelp')}
      />
      {kind === 'user_password' && (
        <Field label={say('settings.credentialUser')} name="username" autoComplete="off" required />
      )}
      <Secret
        name={kind === 'api_key' ? 'api_key' : 'password'}
        label={say(kind === 'api_key' ? 'settings.credentialKey' : 'settings.credentialPassword')}
      />
    </>
  )
}

function HostFields() {
  return (
    <>
      <Field
        label={say('settings.credentialHost')}
        name="host"
        required
        help={say('settings.credentialHostHelp')}
      />
      <Field
        label={say('settings.credentialHeader')}
        name="header"
        required
        help={say('settings.credentialHeaderHelp')}
      />
      <Secret name="value" label={say('settings.credentialHeaderValue')} />
    </>
  )
}

function Secret({ name, label }: { name: string; label: string }) {
  return (
    <Field
      label={label}
      name={name}
      type="password"
      autoComplete="off"
      required
      help={say('settings.credentialSecretHelp')}
    />
  )
}
