import { FileField } from '@/features/files/FileField'
import { AreaField, CheckField, ChoiceField, Field } from '@/ui/Field'
import type { InputField } from './schema'

type Props = {
  field: InputField
  value: string
  fault?: string | undefined
  disabled?: boolean | undefined
  onChange: (value: string) => void
}

const TYPES: Partial<Record<InputField['kind'], string>> = { date: 'date', time: 'time' }

/** One input of the kind that its schema asks for. */
export function SchemaInput({ field, value, fault, disabled, onChange }: Props) {
  const shared = { label: field.label, help: field.help, fault, name: field.name, disabled }
  if (field.kind === 'boolean') {
    return (
      <CheckField
        {...shared}
        checked={value === 'true'}
        onChange={(event) => onChange(String(event.target.checked))}
      />
    )
  }
  if (field.kind === 'choice') {
    const choices = field.choices.includes(value) ? field.choices : ['', ...field.choices]
    return (
      <ChoiceField
        {...shared}
        choices={choices}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  }
  if (field.kind === 'file') {
    return <FileField {...shared} optional={!field.required} value={value} onChange={onChange} />
  }
  if (field.kind === 'long' || field.kind === 'json') {
    return (
      <AreaField
        {...shared}
        help={field.kind === 'json' ? `${field.help ?? ''} JSON, or plain text.`.trim() : field.help}
        optional={!field.required}
        rows={field.kind === 'long' ? 4 : 2}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  }
  return (
    <Field
      {...shared}
      type={TYPES[field.kind] ?? 'text'}
      inputMode={field.kind === 'number' || field.kind === 'integer' ? 'decimal' : 'text'}
      optional={!field.required}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
