import { useState } from 'react'
import { fields, list } from '@/kit/json'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Group } from './Group'
import type { Kind } from './kinds'
import type { FieldProps } from './props'
import { columnKind, readCell } from './typed'
import { useTyped } from './useTyped'

/** Rows that share their columns. A cell is what its column declares, else JSON when it is JSON, else text. */
export function TableField(props: FieldProps) {
  const { shape, label, value, disabled, onChange } = props
  const rows = list(value ?? shape.schema.default).map(fields)
  const schemas = fields(fields(shape.schema.items).properties)
  const declared = Object.keys(schemas)
  const [added, setAdded] = useState<readonly string[]>([])
  const [column, setColumn] = useState('')
  const columns = [...new Set([...declared, ...rows.flatMap((row) => Object.keys(row)), ...added])]
  const become = (next: readonly object[]) => onChange(next.length === 0 ? undefined : next)

  function put(at: number, name: string, cell: unknown) {
    become(rows.map((row, index) => (index === at ? { ...row, [name]: cell } : row)))
  }

  return (
    <Group {...props}>
      {columns.length > 0 && (
        <div className="table-frame">
          <table className="field-table">
            <thead>
              <tr>
                {columns.map((name) => (
                  <th key={name}>{name}</th>
                ))}
                <th>
                  <span className="unseen">{say('forms.remove')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name than their place
                <tr key={at}>
                  {columns.map((name) => (
                    <td key={name}>
                      <Cell
                        label={say('forms.cell', { label, column: name, number: at + 1 })}
                        kind={columnKind(name, fields(schemas[name]), shape.root)}
                        value={row[name]}
                        disabled={disabled}
                        onChange={(cell) => put(at, name, cell)}
                      />
                    </td>
                  ))}
                  <td>
                    <Button
                      look="ghost"
                      tiny
                      icon="close"
                      disabled={disabled}
                      aria-label={say('forms.remove_item', { label, number: at + 1 })}
                      onClick={() => become(rows.filter((_, index) => index !== at))}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {!disabled && (
        <div className="field-row">
          <Button
            look="ghost"
            tiny
            icon="plus"
            disabled={columns.length === 0}
            aria-label={say('forms.add_to', { label })}
            onClick={() => become([...rows, Object.fromEntries(columns.map((name) => [name, '']))])}
          >
            {say('forms.row')}
          </Button>
          {declared.length === 0 && (
            <>
              <input
                className="input"
                aria-label={say('forms.new_column', { label })}
                placeholder={say('forms.column')}
                value={column}
                onChange={(event) => setColumn(event.target.value)}
              />
              <Button
                look="ghost"
                tiny
                icon="plus"
                aria-label={say('forms.add_column', { label })}
                disabled={column.trim() === ''}
                onClick={() => {
                  setAdded([...added, column.trim()])
                  setColumn('')
                }}
              />
            </>
          )}
        </div>
      )}
    </Group>
  )
}

type CellProps = {
  label: string
  kind: Kind
  value: unknown
  disabled: boolean | undefined
  onChange: (cell: unknown) => void
}

/** One cell. Emptied it stays in its row, as an empty text. */
function Cell({ label, kind, value, disabled, onChange }: CellProps) {
  const read = (typed: string) => readCell(kind, typed)
  const { words, fault, keep } = useTyped(read, value, (cell) => onChange(cell === undefined ? '' : cell))
  return (
    <>
      <input
        className="input"
        aria-label={label}
        aria-invalid={fault ? true : undefined}
        disabled={disabled}
        value={words}
        onChange={(event) => keep(event.target.value)}
      />
      {fault && <span className="fault small">{fault}</span>}
    </>
  )
}
