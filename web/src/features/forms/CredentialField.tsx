import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { fields, list, text } from '@/kit/json'
import { say } from '@/kit/say'
import type { FieldProps } from './props'
import { credentialChoices } from './queries'

/** Which credential is used. A document holds its name and id, never its value. */
export function CredentialField({
  shape,
  label,
  help,
  value,
  fault,
  required,
  disabled,
  onChange,
}: FieldProps) {
  const id = useId()
  const { data } = useQuery(credentialChoices)
  const providers = list(shape.schema.credentials_provider)
  const types = list(shape.schema.credentials_types)
  const fitting = (data?.items ?? []).filter(
    (one) =>
      (providers.length === 0 || providers.includes(one.provider)) &&
      (types.length === 0 || types.includes(one.type)),
  )
  const now = text(fields(value).id) ?? ''
  const isListed = fitting.some((one) => one.id === now)
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {!required && <span className="required"> {say('forms.optional')}</span>}
      </label>
      <select
        id={id}
        className="input"
        disabled={disabled}
        aria-invalid={fault ? true : undefined}
        value={now}
        onChange={(event) => {
          const one = fitting.find((credential) => credential.id === event.target.value)
          onChange(one && { id: one.id, provider: one.provider, type: one.type, title: one.title })
        }}
      >
        <option value="">{say('forms.no_credential')}</option>
        {!isListed && now !== '' && <option value={now}>{text(fields(value).title) ?? now}</option>}
        {fitting.map((one) => (
          <option key={one.id} value={one.id}>
            {[one.title || one.provider, one.host, one.hint && `…${one.hint}`].filter(Boolean).join(', ')}
          </option>
        ))}
      </select>
      {fault && <span className="fault small">{fault}</span>}
      <span className="quiet small">
        {help}{' '}
        {fitting.length === 0 && say('forms.credentials_none', { providers: providers.join(', ') || '' })}
      </span>
    </div>
  )
}
