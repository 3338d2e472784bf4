import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { say } from '@/kit/say'
import { type Credential, choicesFor, type Need } from './needs'

type Chosen = Readonly<Record<string, string>>

type Props = {
  needs: readonly Need[]
  credentials: readonly Credential[]
  chosen: Chosen
  onChoose: (key: string, id: string) => void
}

/** One choice for each need; only what fits is offered, and nothing secret is ever shown. */
export function CredentialChoices({ needs, credentials, chosen, onChoose }: Props) {
  return needs.map((need) => (
    <CredentialChoice
      key={need.key}
      need={need}
      fitting={choicesFor(need, credentials)}
      value={chosen[need.key] ?? ''}
      onChoose={(id) => onChoose(need.key, id)}
    />
  ))
}

type ChoiceProps = {
  need: Need
  fitting: readonly Credential[]
  value: string
  onChoose: (id: string) => void
}

function CredentialChoice({ need, fitting, value, onChoose }: ChoiceProps) {
  const id = useId()
  const name = need.providers.join(', ') || say('live.credentials.any')
  const none = need.required ? say('live.credentials.choose') : say('live.credentials.optional')
  return (
    <div className="field">
      <label htmlFor={id}>{say('live.credentials.label', { name })}</label>
      <select
        id={id}
        className="input"
        required={need.required}
        value={value}
        onChange={(event) => onChoose(event.target.value)}
      >
        <option value="">{none}</option>
        {fitting.map((one) => (
          <option key={one.id} value={one.id}>
            {one.title}
          </option>
        ))}
      </select>
      {fitting.length === 0 && (
        <p className="quiet small">
          {say('live.credentials.none')} <Link to="/settings/credentials">{say('live.credentials.add')}</Link>
        </p>
      )}
    </div>
  )
}
