import { type FormEvent, useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { CopyButton } from '@/ui/CopyButton'
import { Field } from '@/ui/Field'
import { ErrorPanel } from '@/ui/States'
import { SCOPES, type Scope, useCreateApiKey, wordsOf } from './apiKeys'

/** Make a key; its value is shown here, once. */
export function ApiKeyForm() {
  const create = useCreateApiKey()
  const [refused, setRefused] = useState<string | null>(null)
  if (create.data) return <Shown made={create.data} />

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const scopes = form.getAll('scope') as Scope[]
    const day = String(form.get('expires') ?? '')
    setRefused(scopes.length === 0 ? say('settings.keyNoScope') : null)
    if (scopes.length === 0) return
    const expires_at = day === '' ? null : new Date(`${day}T23:59:59`).toISOString()
    create.mutate({ name: String(form.get('name')), scopes, expires_at })
  }

  return (
    <form className="stack" onSubmit={submit} aria-label={say('settings.keyCreate')}>
      <Field
        label={say('settings.keyName')}
        name="name"
        maxLength={200}
        required
        help={say('settings.keyNameHelp')}
      />
      <fieldset className="scopes">
        <legend>{say('settings.keyScopes')}</legend>
        {SCOPES.map((scope) => (
          <label key={scope} className="check">
            <input type="checkbox" name="scope" value={scope} /> {wordsOf(scope)} <code>{scope}</code>
          </label>
        ))}
      </fieldset>
      <Field label={say('settings.expiresOn')} name="expires" type="date" optional />
      {refused && <ErrorPanel problem={{ message: refused }} />}
      {create.error && <ErrorPanel problem={create.error} />}
      <div>
        <Button type="submit" writes busy={create.isPending}>
          {say('settings.keyCreate')}
        </Button>
      </div>
    </form>
  )
}

function Shown({ made }: { made: Schemas['NewApiKeyOut'] }) {
  return (
    <div className="stack" role="status">
      <p>{say('settings.keyCreatedWhy')}</p>
      <div className="row">
        <code className="value code" role="note" aria-label={say('settings.keyCreated')}>
          {made.key}
        </code>
        <CopyButton text={made.key} label={say('settings.keyCreatedCopy')} />
      </div>
    </div>
  )
}
