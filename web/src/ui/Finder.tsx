import { type KeyboardEvent, useId, useState } from 'react'
import { say } from '@/kit/say'
import { likeness } from '@/kit/words'
import { Dialog } from './Dialog'
import { Icon, type IconName } from './Icon'
import { useHeld, useWrite } from './writes'

export type Choice = {
  id: string
  kind: string
  label: string
  help?: string
  icon: IconName
  writes?: boolean
  act: () => void
}

type Props = { title: string; placeholder: string; choices: readonly Choice[]; onClose: () => void }

const MOST = 30

/** Everything by name: type, arrows, Enter. */
export function Finder({ title, placeholder, choices, onClose }: Props) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const held = useHeld()
  const write = useWrite()
  const shown = best(choices, typed)
  const chosen = shown[Math.min(at, shown.length - 1)]

  function take(choice: Choice | undefined) {
    if (choice === undefined) return
    const go = () => {
      onClose()
      choice.act()
    }
    if (choice.writes) write(go)
    else go()
  }

  function pressed(event: KeyboardEvent) {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setAt((now) => (Math.min(now, shown.length - 1) + step + shown.length) % Math.max(1, shown.length))
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      take(chosen)
    }
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
          setTyped(event.target.value)
          setAt(0)
        }}
        onKeyDown={pressed}
      />
      <div className="palette-list" role="listbox" id={id} aria-label={say('shell.results')}>
        {shown.map((choice) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input above holds the keyboard
          <div
            key={choice.id}
            id={`${id}-${choice.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={choice === chosen}
            ref={choice === chosen ? intoView : undefined}
            className="palette-row"
            onClick={() => take(choice)}
            {...(choice.writes ? held : undefined)}
          >
            <Icon name={choice.icon} />
            <span className="clip">
              {choice.label} {choice.help && <span className="quiet small">{choice.help}</span>}
            </span>
            <span className="end quiet small">{choice.kind}</span>
          </div>
        ))}
      </div>
      {shown.length === 0 && <p className="palette-none quiet">{say('shell.nothingFound')}</p>}
    </Dialog>
  )
}

function intoView(row: HTMLElement | null) {
  row?.scrollIntoView({ block: 'nearest' })
}

function best(choices: readonly Choice[], typed: string): Choice[] {
  return choices
    .map((choice) => ({
      choice,
      score: likeness(typed, `${choice.label} ${choice.kind} ${choice.help ?? ''}`),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ choice }) => choice)
}
