import { useState } from 'react'
import { say } from '@/kit/say'
import { Group } from './Group'
import { alternativeFor, blankFor, chosenOf, typeName } from './kinds'
import type { FieldProps } from './props'
import { ValueField } from './ValueField'

/** One of several types: which, and then its field. */
export function UnionField(props: FieldProps) {
  const { name, shape, label, value, disabled, onChange } = props
  const { alternatives, root } = shape
  const given = value ?? shape.schema.default ?? undefined
  const [wanted, setWanted] = useState<number | null>(null)
  const at = given === undefined ? (wanted ?? 0) : alternativeFor(given, alternatives)
  return (
    <Group {...props}>
      <select
        className="input"
        aria-label={say('forms.type_of', { label })}
        value={at}
        disabled={disabled}
        onChange={(event) => {
          const next = Number(event.target.value)
          setWanted(next)
          onChange(given === undefined ? undefined : blankFor(name, alternatives[next] ?? {}, root))
        }}
      >
        {alternatives.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the alternatives of a schema never change places
          <option key={index} value={index}>
            {typeName(one)}
          </option>
        ))}
      </select>
      <ValueField
        key={at}
        name={`${name} value`}
        label={label}
        help=""
        schema={chosenOf(shape, at, value)}
        root={root}
        value={value}
        disabled={disabled}
        onChange={onChange}
      />
    </Group>
  )
}
