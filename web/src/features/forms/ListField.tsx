import { fields, list } from '@/kit/json'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Group } from './Group'
import { blankFor } from './kinds'
import type { FieldProps } from './props'
import { ValueField } from './ValueField'

/** One field for each item, and one more when asked. */
export function ListField(props: FieldProps) {
  const { name, shape, label, value, disabled, onChange } = props
  const items = list(value ?? shape.schema.default)
  const schema = fields(shape.schema.items)
  const become = (next: readonly unknown[]) => onChange(next.length === 0 ? undefined : next)
  return (
    <Group {...props}>
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items have no other name than their place
        <div key={at} className="field-row">
          <ValueField
            name={`${name} ${at}`}
            label={say('forms.item', { label, number: at + 1 })}
            help=""
            schema={schema}
            root={shape.root}
            value={item}
            required
            disabled={disabled}
            onChange={(changed) => become(items.map((one, index) => (index === at ? (changed ?? '') : one)))}
          />
          {!disabled && (
            <Button
              look="ghost"
              tiny
              icon="close"
              aria-label={say('forms.remove_item', { label, number: at + 1 })}
              onClick={() => become(items.filter((_, index) => index !== at))}
            />
          )}
        </div>
      ))}
      {!disabled && (
        <div>
          <Button
            look="ghost"
            tiny
            icon="plus"
            aria-label={say('forms.add_to', { label })}
            onClick={() => become([...items, blankFor(name, schema, shape.root)])}
          >
            {say('forms.add')}
          </Button>
        </div>
      )}
    </Group>
  )
}
