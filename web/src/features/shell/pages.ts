import { say } from '@/kit/say'
import type { IconName } from '@/ui/Icon'

type Page = { to: '/' | '/build' | '/library' | '/activity' | '/settings'; label: string; icon: IconName }

/** The pages of the house, in the order of their use. */
export const PAGES: readonly Page[] = [
  { to: '/', label: say('shell.autopilot'), icon: 'wheel' },
  { to: '/build', label: say('shell.build'), icon: 'build' },
  { to: '/library', label: say('shell.library'), icon: 'library' },
  { to: '/activity', label: say('shell.activity'), icon: 'activity' },
  { to: '/settings', label: say('shell.settings'), icon: 'settings' },
]

/** A phone's bar has room for these; the drawer has all. */
export const ON_BAR = 4
