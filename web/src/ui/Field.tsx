import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'
import { say } from '@/kit/say'

type Labels = { label: string; help?: string | undefined; fault?: string | undefined }

type Ids = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

/** A label, what it labels, and what is wrong with it: tied together for those who cannot see that they are. */
function Labelled({
  label,
  help,
  fault,
  required,
  children,
}: Labels & { required?: boolean | undefined; children: (ids: Ids) => ReactNode }) {
  const id = useId()
  const described = [help && `${id}-help`, fault && `${id}-fault`].filter(Boolean).join(' ') || undefined
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {required === false && <span className="required"> {say('common.optional')}</span>}
      </label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': fault ? true : undefined })}
      {fault && (
        <span id={`${id}-fault`} className="fault small">
          {fault}
        </span>
      )}
      {help && (
        <span id={`${id}-help`} className="quiet small">
          {help}
        </span>
      )}
    </div>
  )
}

type InputProps = Labels & Omit<InputHTMLAttributes<HTMLInputElement>, 'id'> & { optional?: boolean }

export function Field({ label, help, fault, optional, ...rest }: InputProps) {
  return (
    <Labelled label={label} help={help} fault={fault} required={optional ? false : undefined}>
      {(ids) => <input className="input" {...ids} {...rest} />}
    </Labelled>
  )
}

type AreaProps = Labels & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id'> & { optional?: boolean }

export function AreaField({ label, help, fault, optional, ...rest }: AreaProps) {
  return (
    <Labelled label={label} help={help} fault={fault} required={optional ? false : undefined}>
      {(ids) => <textarea className="input" rows={3} {...ids} {...rest} />}
    </Labelled>
  )
}

type SelectProps = Labels & Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id'>

/** Its children are the options. */
export function SelectField({ label, help, fault, ...rest }: SelectProps) {
  return (
    <Labelled label={label} help={help} fault={fault}>
      {(ids) => <select className="input" {...ids} {...rest} />}
    </Labelled>
  )
}

/** A choice of words that name themselves. */
export function ChoiceField({ choices, ...rest }: SelectProps & { choices: readonly string[] }) {
  return (
    <SelectField {...rest}>
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {choice}
        </option>
      ))}
    </SelectField>
  )
}

export function CheckField({ label, help, ...rest }: Labels & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId()
  return (
    <div className="field">
      <label className="check">
        <input type="checkbox" aria-describedby={help ? id : undefined} {...rest} /> {label}
      </label>
      {help && (
        <span id={id} className="quiet small">
          {help}
        </span>
      )}
    </div>
  )
}
