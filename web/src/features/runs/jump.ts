import { type RefObject, useEffect } from 'react'
import type { StepView } from './reducer'

/** A step that is to be brought into sight; the focus goes along when somebody asked to go there. */
export type Jump = { step: number; focuses: boolean }

/** How many steps a list has to show: a page or more, and at least up to each that is wanted. */
export function leastShown(
  steps: readonly Pick<StepView, 'step_id'>[],
  most: number,
  wanted: readonly (number | null)[],
): number {
  const places = wanted.map((id) => (id === null ? 0 : steps.findIndex((step) => step.step_id === id) + 1))
  return Math.max(most, ...places)
}

/** Jump to the row that is marked with the step. Whoever renders rows has that one among them, however many there are. */
export function useJump(rows: RefObject<HTMLElement | null>, jump: Jump | null): void {
  useEffect(() => {
    if (jump === null) return
    const row = rows.current?.querySelector<HTMLElement>(`[data-step="${jump.step}"]`)
    if (!row) return
    const folded = row.closest('details')
    if (folded !== null) folded.open = true // it may have been closed by hand since it was chosen
    row.scrollIntoView({ block: jump.focuses ? 'center' : 'nearest' })
    if (jump.focuses) row.focus({ preventScroll: true })
  }, [rows, jump])
}
