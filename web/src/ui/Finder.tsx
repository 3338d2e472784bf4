import { useState } from 'react'
import { say } from '@/kit/say'
import { likeness } from '@/kit/words'
import { Icon, type IconName } from './Icon'
import { Palette } from './Palette'
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

/** Everything by name. */
export function Finder({ title, placeholder, choices, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const held = useHeld()
  const write = useWrite()

  function take(choice: Choice) {
    const go = () => {
      onClose()
      choice.act()
    }
    if (choice.writes) write(go)
    else go()
  }

  return (
    <Palette
      title={title}
      placeholder={placeholder}
      results={say('shell.results')}
      none={say('shell.nothingFound')}
      rows={best(choices, typed)}
      typed={typed}
      onType={setTyped}
      onTake={take}
      onClose={onClose}
      wears={({ writes }) => (writes ? held : undefined)}
      face={({ icon, label, help, kind }) => (
        <>
          <Icon name={icon} />
          <span className="clip">
            {label} {help && <span className="quiet small">{help}</span>}
          </span>
          <span className="end quiet small">{kind}</span>
        </>
      )}
    />
  )
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
