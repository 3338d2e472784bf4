import { keptOnTop } from './dialogs'

const FRESH_MILLIS = 1_000
const AGAIN_MILLIS = 100

let region: HTMLElement | null = null
let said = { words: '', at: 0 }

/** Say a change of state to those who listen instead of look. */
export function announce(words: string): void {
  said = { words, at: performance.now() }
  listenedTo().textContent = words
}

/** The place of what is said. It is made before anything is said, else the first words would not be heard. */
export function listenedTo(): HTMLElement {
  if (region !== null) return region
  region = document.createElement('div')
  region.setAttribute('aria-live', 'polite')
  region.className = 'unseen'
  keptOnTop(region, document.body, sayAgain)
  return region
}

/** Words that came along with the move, as when a dialog closes by what was done in it, are said where they are heard. */
function sayAgain(): void {
  const { words, at } = said
  if (region === null || region.textContent === '') return
  region.textContent = ''
  if (performance.now() - at > FRESH_MILLIS) return
  setTimeout(() => {
    if (region !== null && said.at === at) region.textContent = words
  }, AGAIN_MILLIS)
}
