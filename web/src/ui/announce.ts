let place: HTMLElement | null = null

/** Say a change of state to those who listen instead of look. */
export function announce(words: string): void {
  if (place === null) {
    place = document.createElement('div')
    place.setAttribute('aria-live', 'polite')
    place.className = 'unseen'
    document.body.append(place)
  }
  place.textContent = words
}
