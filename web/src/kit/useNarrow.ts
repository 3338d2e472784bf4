import { useSyncExternalStore } from 'react'

const narrow = () => window.matchMedia('(max-width: 767px)')

function watch(changed: () => void): () => void {
  const query = narrow()
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}

/** Whether the window is as narrow as a phone's. */
export function useNarrow(): boolean {
  return useSyncExternalStore(watch, () => narrow().matches)
}
