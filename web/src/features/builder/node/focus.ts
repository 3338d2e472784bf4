import { type Link, linkKey } from '../document'
import { baseOf } from '../pins'

/** The field that somebody is led to, and the link that feeds it when that is meant. A new one for each time. */
export type Aim = { field: string; link: string | null }

/** What links need to know of where the focus is led, and tell about where it should go on. */
export type Led = {
  aim: Aim | null
  /** The link whose part was chosen last. */
  kept: string | null
  onKept: (link: Link) => void
  onCut: (link: Link) => void
}

const FIELDS = ':is(input, textarea, select):enabled'

/** Where the focus goes for an aim, best first. */
export function placesOf({ field, link }: Aim): string[] {
  const form = link === null ? [] : [`form[data-link=${JSON.stringify(link)}] ${FIELDS}`]
  return [...form, ...placesIn(field)]
}

/** The field of an input; where it is linked and has none, whatever can be pressed there. */
export function placesIn(pin: string): string[] {
  const place = `[data-pin=${JSON.stringify(pin)}]`
  return [`${place} ${FIELDS}`, `${place} button:enabled`]
}

/** After a link was kept: the button that opened its form. */
export function placesKept(link: Link): string[] {
  return [`button[data-link=${JSON.stringify(linkKey(link))}]`]
}

/** After a link was cut: the field that takes its place, or that of the input which it was a part of. */
export function placesFreed(link: Link): string[] {
  return [...placesIn(link.in), ...placesIn(baseOf(link.in)), 'h2']
}

/** Focus the first of these that is there; what is folded away is unfolded for it. */
export function focusFirst(root: HTMLElement | null, places: readonly string[]): boolean {
  for (const place of places) {
    const found = root?.querySelector<HTMLElement>(place)
    if (!found) continue
    found.closest('details')?.setAttribute('open', '')
    found.focus()
    return true
  }
  return false
}
