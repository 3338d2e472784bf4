import { useSyncExternalStore } from 'react'
import { recall, remember } from '@/kit/stored'

export type Theme = 'system' | 'light' | 'dark'

const watchers = new Set<() => void>()

function current(): Theme {
  const kept = recall('theme')
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function setTheme(theme: Theme): void {
  remember('theme', theme === 'system' ? null : theme)
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  for (const changed of watchers) changed()
}

export function useTheme(): Theme {
  return useSyncExternalStore((changed) => {
    watchers.add(changed)
    return () => watchers.delete(changed)
  }, current)
}
