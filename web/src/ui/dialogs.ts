let open: readonly HTMLDialogElement[] = []
const watchers = new Set<() => void>()

function become(changed: readonly HTMLDialogElement[]) {
  open = changed
  for (const watcher of watchers) watcher()
}

/** Remember that a dialog lies over the page; the answer takes it away again. */
export function laidOver(dialog: HTMLDialogElement): () => void {
  become([...open, dialog])
  return () => become(open.filter((other) => other !== dialog))
}

/**
 * Keep an element in the topmost dialog, or at home while there is none: while a dialog is open nothing outside of it
 * can be pressed or heard. It stays the same element, since a live region is heard only when it was there before its
 * words were.
 */
export function keptOnTop(element: HTMLElement, home: HTMLElement, moved?: () => void): () => void {
  let place: HTMLElement | null = null
  function follow() {
    const top = open.at(-1) ?? home
    if (top === place) return
    place = top
    top.append(element)
    moved?.()
  }
  follow()
  watchers.add(follow)
  return () => void watchers.delete(follow)
}
