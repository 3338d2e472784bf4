import { useState } from 'react'
import { fields } from '@/kit/json'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Group } from './Group'
import type { FieldProps } from './props'
import { ValueField } from './ValueField'

/** Values under names that the user chooses. */
export function MapField(props: FieldProps) {
  const { shape, label, value, disabled, onChange } = props
  const entries = Object.entries(fields(value ?? shape.schema.default))
  const schema = fields(shape.schema.additionalProperties)
  const [key, setKey] = useState('')
  const become = (next: readonly (readonly [string, unknown])[]) =>
    onChange(next.length === 0 ? undefined : Object.fromEntries(next))
  const taken = entries.some(([name]) => name === key.trim())

  function add() {
    if (key.trim() === '' || taken) return
    become([...entries, [key.trim(), '']])
    setKey('')
  }

  return (
    <Group {...props}>
      {entries.map(([name, item]) => (
        <div key={name} className="field-row">
          <ValueField
            name={`value ${name}`}
            label={name}
            help=""
            schema={schema}
            root={shape.root}
            value={item}
            required
            disabled={disabled}
            onChange={(changed) =>
              become(entries.map(([other, old]) => [other, other === name ? (changed ?? '') : old]))
            }
          />
          {!disabled && (
            <Button
              look="ghost"
              tiny
              icon="close"
              aria-label={say('forms.remove_key', { label, key: name })}
              onClick={() => become(entries.filter(([other]) => other !== name))}
            />
          )}
        </div>
      ))}
      {!disabled && (
        <div className="field-row">
          <input
            className="input"
            aria-label={say('forms.new_key', { label })}
            placeholder={say('forms.key')}
            value={key}
            onChange={(event) => setKey(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              add()
            }}
          />
          <Button
            look="ghost"
            tiny
            icon="plus"
            aria-label={say('forms.add_to', { label })}
            disabled={key.trim() === '' || taken}
            onClick={add}
          />
        </div>
      )}
    </Group>
  )
}
