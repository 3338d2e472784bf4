import { useEffect } from 'react'

/** Name the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Pilothouse`
  }, [title])
}
