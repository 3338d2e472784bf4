import { FileField } from '@/features/files/FileField'
import { list, text } from '@/kit/json'
import { say } from '@/kit/say'
import { AreaField, CheckField, ChoiceField, Field } from '@/ui/Field'
import type { Kind } from './kinds'
import type { FieldProps } from './props'
import { readAs, written } from './typed'
import { useTyped } from './useTyped'

const TYPES: Partial<Record<Kind, string>> = {
  date: 'date',
  time: 'time',
  moment: 'datetime-local',
  secret: 'password',
}

/** Text, long text, numbers, dates, times, files, secrets, and what may be anything. */
export function ScalarField({
  name,
  shape,
  label,
  help,
  value,
  fault,
  required,
  disabled,
  onChange,
}: FieldProps) {
  const { kind, schema } = shape
  const typed = useTyped((words) => readAs(kind, words), value, onChange)
  const shared = {
    label,
    name,
    disabled,
    fault: typed.fault ?? fault,
    optional: !required,
    placeholder: written(schema.default) || text(schema.placeholder) || undefined,
    value: typed.words,
    onChange: (event: { target: { value: string } }) => typed.keep(event.target.value),
  }
  if (kind === 'long' || kind === 'any') {
    const more = kind === 'any' ? [help, say('forms.any')].filter(Boolean).join(' ') : help
    return <AreaField {...shared} help={more} rows={kind === 'long' ? 4 : 2} />
  }
  if (kind === 'file') return <FileField {...shared} help={help} onChange={typed.keep} />
  const numeric = kind === 'number' || kind === 'integer'
  return (
    <Field
      {...shared}
      help={help}
      type={TYPES[kind] ?? 'text'}
      autoComplete={kind === 'secret' ? 'new-password' : 'off'}
      inputMode={numeric ? 'decimal' : 'text'}
    />
  )
}

export function BooleanField({ name, shape, label, help, value, disabled, onChange }: FieldProps) {
  const checked = (value ?? shape.schema.default) === true
  return (
    <CheckField
      label={label}
      help={help}
      name={name}
      disabled={disabled}
      checked={checked}
      onChange={(event) => onChange(event.target.checked)}
    />
  )
}

/** One of the values that a schema lists, whatever their type. */
export function EnumField({ name, shape, label, help, value, fault, disabled, onChange }: FieldProps) {
  const { schema } = shape
  const values = 'const' in schema ? [schema.const] : list(schema.enum)
  const byWords = new Map(values.map((one) => [written(one), one]))
  const now = written(value ?? schema.default)
  return (
    <ChoiceField
      label={label}
      help={help}
      fault={fault}
      name={name}
      disabled={disabled}
      choices={byWords.has(now) ? [...byWords.keys()] : [now, ...byWords.keys()]}
      value={now}
      onChange={(event) => onChange(byWords.get(event.target.value))}
    />
  )
}
