import { type HTMLAttributes, type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { Dialog } from './Dialog'

type Props<Row> = {
  title: string
  placeholder: string
  /** What the list is called, and what stands in its place when it is empty. */
  results: string
  none: string
  rows: readonly Row[]
  typed: string
  onType: (typed: string) => void
  onTake: (row: Row) => void
  onClose: () => void
  face: (row: Row) => ReactNode
  /** What else a row wears, such as why it cannot be taken now. */
  wears?: (row: Row) => HTMLAttributes<HTMLElement> | undefined
  /** Between the box and the list. */
  children?: ReactNode
}

/** A box to type into over a list to choose from: type, arrows, Enter. */
export function Palette<Row extends { id: string }>(props: Props<Row>) {
  const { title, placeholder, results, none, rows, typed, onType, onTake, onClose, children } = props
  const id = useId()
  const [chosenId, setChosenId] = useState<string | null>(null)
  const chosen = rows.find((row) => row.id === chosenId) ?? rows[0]

  function pressed(event: KeyboardEvent) {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const enters = event.key === 'Enter' && !event.nativeEvent.isComposing
    if (step === 0 && !enters) return
    event.preventDefault()
    if (chosen === undefined) return
    if (enters) onTake(chosen)
    else setChosenId(rows[(rows.indexOf(chosen) + step + rows.length) % rows.length]?.id ?? null)
  }

  return (
    <Dialog title={title} wide plain onClose={onClose}>
      <input
        className="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={chosen && `${id}-${chosen.id}`}
        aria-label={title}
        placeholder={placeholder}
        autoFocus
        value={typed}
        onChange={(event) => {
          onType(event.target.value)
          setChosenId(null)
        }}
        onKeyDown={pressed}
      />
      {children}
      <div className="palette-list" role="listbox" id={id} aria-label={results}>
        {rows.map((row) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input above holds the keyboard
          <div
            key={row.id}
            id={`${id}-${row.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={row === chosen}
            ref={row === chosen ? intoView : undefined}
            className="palette-row"
            onClick={() => onTake(row)}
            {...props.wears?.(row)}
          >
            {props.face(row)}
          </div>
        ))}
      </div>
      {rows.length === 0 && <p className="palette-none quiet">{none}</p>}
    </Dialog>
  )
}

function intoView(row: HTMLElement | null) {
  row?.scrollIntoView({ block: 'nearest' })
}
