import { useSyncExternalStore } from 'react'

/** The one-time token of a set-up link, which stands after the `#` so that no server log ever holds it. */
export function setupToken(hash: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, '')).get('token')
}

const KEPT = 'setup-token'

/** Take the token out of the address bar at once; this tab keeps it until the owner is made. */
export function takeSetupToken(): void {
  const token = setupToken(window.location.hash)
  if (token === null) return
  sessionStorage.setItem(KEPT, token)
  window.history.replaceState(window.history.state, '', window.location.pathname)
}

export function keptSetupToken(): string | null {
  return sessionStorage.getItem(KEPT)
}

/** The token of this tab; a link that is pasted into the open page changes only what stands after the `#`. */
export function useSetupToken(): string | null {
  return useSyncExternalStore(watch, keptSetupToken)
}

function watch(changed: () => void): () => void {
  const look = () => {
    takeSetupToken()
    changed()
  }
  window.addEventListener('hashchange', look)
  return () => window.removeEventListener('hashchange', look)
}

export function forgetSetupToken(): void {
  sessionStorage.removeItem(KEPT)
}
