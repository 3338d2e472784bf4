import type { ReactNode } from 'react'
import { say } from '@/kit/say'
import { useNarrow } from '@/kit/useNarrow'
import { Icon } from './Icon'
import { ScrollFrame } from './ScrollFrame'

export type Column<Row> = {
  /** What it is sorted by, if it can be. */
  name: string
  head: string
  cell: (row: Row) => ReactNode
  /** It takes what room there is; on a phone it is the card's first line. */
  wide?: boolean
  sorts?: 'asc' | 'desc'
  /** Its head says nothing that its cells do not. */
  plain?: boolean
}

export type Sorted = { by: string; order: 'asc' | 'desc' }

export type Picking = { picked: ReadonlySet<string>; onPick: (picked: ReadonlySet<string>) => void }

type Props<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  idOf: (row: Row) => string
  nameOf?: (row: Row) => string
  sorted?: Sorted | undefined
  onSort?: ((sorted: Sorted) => void) | undefined
  picking?: Picking | undefined
}

/** The one table: heads that sort, rows that can be picked, and on a phone a list of cards with all that it says. */
export function Table<Row>(props: Props<Row>) {
  return useNarrow() ? <Cards {...props} /> : <Rows {...props} />
}

function Rows<Row>(props: Props<Row>) {
  const { label, columns, rows, idOf, picking } = props
  return (
    <ScrollFrame className="table-frame" aria-label={label}>
      <table>
        <thead>
          <tr>
            {picking && (
              <th scope="col" className="narrow">
                <PickAll ids={rows.map(idOf)} picking={picking} />
              </th>
            )}
            {columns.map((column) => (
              <Head key={column.name} column={column} {...props} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={idOf(row)}>
              {picking && (
                <td className="narrow">
                  <Pick row={row} {...props} picking={picking} />
                </td>
              )}
              {columns.map((column) => (
                <td key={column.name} className={column.wide ? 'wide' : ''}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollFrame>
  )
}

function Head<Row>({ column, sorted, onSort }: Props<Row> & { column: Column<Row> }) {
  const { name, head, sorts, plain } = column
  if (plain) {
    return (
      <th scope="col">
        <span className="unseen">{head}</span>
      </th>
    )
  }
  if (!sorts || !onSort) return <th scope="col">{head}</th>
  const order = sorted?.by === name ? sorted.order : undefined
  const next = order === undefined ? sorts : order === 'asc' ? 'desc' : 'asc'
  return (
    <th scope="col" aria-sort={order && (order === 'asc' ? 'ascending' : 'descending')}>
      <button
        type="button"
        className={`sort ${order ?? ''}`}
        onClick={() => onSort({ by: name, order: next })}
      >
        {head}
        <Icon name="down" />
      </button>
    </th>
  )
}

function Cards<Row>(props: Props<Row>) {
  const { label, columns, rows, idOf, picking } = props
  const [first, ...rest] = [...columns].sort((a, b) => Number(b.wide ?? false) - Number(a.wide ?? false))
  return (
    <ul className="cards" aria-label={label}>
      {rows.map((row) => (
        <li key={idOf(row)}>
          <div className="row">
            {picking && <Pick row={row} {...props} picking={picking} />}
            <div className="wraps-anywhere card-name">{first?.cell(row)}</div>
            {rest
              .filter(({ plain }) => plain)
              .map((column) => (
                <span key={column.name} className="end">
                  {column.cell(row)}
                </span>
              ))}
          </div>
          <dl className="facts small">
            {rest
              .filter(({ plain }) => !plain)
              .map((column) => (
                <Fact key={column.name} head={column.head} value={column.cell(row)} />
              ))}
          </dl>
        </li>
      ))}
    </ul>
  )
}

/** A card has no empty cells. */
function Fact({ head, value }: { head: string; value: ReactNode }) {
  if (value === null || value === '' || value === false) return null
  return (
    <div>
      <dt>{head}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function Pick<Row>({ row, idOf, nameOf, picking }: Props<Row> & { row: Row; picking: Picking }) {
  const id = idOf(row)
  const { picked, onPick } = picking
  return (
    <input
      type="checkbox"
      aria-label={say('common.pick', { name: nameOf?.(row) ?? id })}
      checked={picked.has(id)}
      onChange={({ target }) =>
        onPick(new Set(target.checked ? [...picked, id] : [...picked].filter((one) => one !== id)))
      }
    />
  )
}

function PickAll({ ids, picking }: { ids: readonly string[]; picking: Picking }) {
  return (
    <input
      type="checkbox"
      aria-label={say('common.pickAll')}
      checked={ids.length > 0 && ids.every((id) => picking.picked.has(id))}
      onChange={({ target }) => picking.onPick(new Set(target.checked ? ids : []))}
    />
  )
}
