import { createContext, type MouseEvent, useContext } from 'react'
import { announce } from './announce'

/** Why nothing can be changed now; null while everything can. */
export const WritesOff = createContext<string | null>(null)

/**
 * What a control that writes wears while writes are off. It is not `disabled`: it keeps the focus and can be reached,
 * so that the keyboard and the ear learn why nothing happens. Enter in a form clicks its button, and stops here too.
 */
export function useHeld(writes = true) {
  const off = useContext(WritesOff)
  if (off === null || !writes) return undefined
  return {
    'aria-disabled': true,
    title: off,
    onClick: (event: MouseEvent) => {
      event.preventDefault()
      announce(off)
    },
  }
}

/** For keys, where no button stands between: do it, or say why it cannot be done now. */
export function useWrite(): (act: () => void) => void {
  const off = useContext(WritesOff)
  return (act) => (off === null ? act() : announce(off))
}
