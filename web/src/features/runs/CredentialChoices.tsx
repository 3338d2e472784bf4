import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import type { Schemas } from '@/api/shapes'
import { say } from '@/kit/say'

type Need = Schemas['CredentialNeedOut']
type Credential = Schemas['CredentialOut']
type Props = {
  needs: readonly Need[]
  credentials: readonly Credential[]
  chosen: Readonly<Record<string, string>>
  onChoose: (key: string, credential_id: string) => void
}

/** The credentials that can serve a need: of its providers and kinds. */
export function fitting(need: Need, credentials: readonly Credential[]): Credential[] {
  return credentials.filter(
    ({ provider, type }) =>
      (need.providers.length === 0 || need.providers.includes(provider)) &&
      (need.types.length === 0 || need.types.includes(type)),
  )
}

/** One choice for each thing that the agent's blocks must sign in to. */
export function CredentialChoices({ needs, credentials, chosen, onChoose }: Props) {
  return needs.map((need) => (
    <OneNeed
      key={need.key}
      need={need}
      fit={fitting(need, credentials)}
      value={chosen[need.key] ?? ''}
      onChoose={(id) => onChoose(need.key, id)}
    />
  ))
}

type OneProps = {
  need: Need
  fit: readonly Credential[]
  value: string
  onChoose: (id: string) => void
}

function OneNeed({ need, fit, value, onChoose }: OneProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>
        {say('runs.credential', { provider: need.providers.join(', ') })}
        {!need.required && <span className="required"> {say('common.optional')}</span>}
      </label>
      <select
        id={id}
        className="input"
        required={need.required}
        value={value}
        onChange={({ target }) => onChoose(target.value)}
      >
        <option value="">{say('runs.chooseCredential')}</option>
        {fit.map((credential) => (
          <option key={credential.id} value={credential.id}>
            {credential.title}
          </option>
        ))}
      </select>
      {fit.length === 0 && (
        <span className="quiet small">
          {say('runs.withoutCredential')} <Link to="/settings/credentials">{say('runs.addCredential')}</Link>
        </span>
      )}
    </div>
  )
}
