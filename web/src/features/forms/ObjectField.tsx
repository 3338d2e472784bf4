import { fields, list } from '@/kit/json'
import { Group } from './Group'
import { marksOf } from './kinds'
import type { FieldProps } from './props'
import { ValueField } from './ValueField'

/** A value with parts of its own, each with its field; what marks its kind is not asked for but always kept. */
export function ObjectField(props: FieldProps) {
  const { shape, value, disabled, onChange } = props
  const now = fields(value ?? shape.schema.default)
  const required = list(shape.schema.required)
  const parts = Object.entries(fields(shape.schema.properties)).filter(
    ([, part]) => !('const' in fields(part)),
  )
  return (
    <Group {...props}>
      {parts.map(([name, part]) => (
        <ValueField
          key={name}
          name={name}
          schema={fields(part)}
          root={shape.root}
          value={now[name]}
          required={required.includes(name)}
          disabled={disabled}
          onChange={(changed) => {
            const { [name]: _, ...rest } = now
            const marked = { ...rest, ...marksOf(shape.schema) }
            onChange(changed === undefined ? marked : { ...marked, [name]: changed })
          }}
        />
      ))}
    </Group>
  )
}
