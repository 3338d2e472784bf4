import { type InputHTMLAttributes, useId } from 'react'

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, 'id'> & { label: string; help?: string | undefined }

export function Field({ label, help, ...rest }: Props) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} aria-describedby={help ? `${id}-help` : undefined} {...rest} />
      {help && (
        <small id={`${id}-help`} className="quiet">
          {help}
        </small>
      )}
    </div>
  )
}
