import { useSyncExternalStore } from 'react'

function watch(changed: () => void): () => void {
  window.addEventListener('online', changed)
  window.addEventListener('offline', changed)
  return () => {
    window.removeEventListener('online', changed)
    window.removeEventListener('offline', changed)
  }
}

/** Whether the machine has a network at all. */
export function useOnline(): boolean {
  return useSyncExternalStore(watch, () => navigator.onLine)
}
