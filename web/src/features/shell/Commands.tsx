import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useLogout } from '@/features/accounts/queries'
import { agentList, agentNames } from '@/features/agents/queries'
import { sessionList } from '@/features/chat/queries'
import { runsOf } from '@/features/runs/queries'
import { useHotkey } from '@/kit/useHotkey'
import { type Choice, Finder } from '@/ui/Finder'
import { PAGES, Rail } from './Rail'
import { Shortcuts } from './Shortcuts'
import { setTheme } from './theme'

/** The rail, and what the keyboard opens from anywhere. */
export function Commands({ isHome }: { isHome: boolean }) {
  const [open, setOpen] = useState<'palette' | 'shortcuts' | null>(null)
  useHotkey({ key: 'k', mod: true }, () => setOpen('palette'))
  useHotkey({ key: '?' }, () => setOpen('shortcuts'))
  const close = () => setOpen(null)
  return (
    <>
      <Rail isHome={isHome} onSearch={() => setOpen('palette')} />
      {open === 'palette' && <EverythingByName onClose={close} onShortcuts={() => setOpen('shortcuts')} />}
      {open === 'shortcuts' && <Shortcuts onClose={close} />}
    </>
  )
}

function EverythingByName({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const things = useThings()
  const logout = useLogout()
  const actions: Choice[] = [
    action('theme-light', 'Use the light theme', () => setTheme('light')),
    action('theme-dark', 'Use the dark theme', () => setTheme('dark')),
    action('theme-system', 'Use the theme of the system', () => setTheme('system')),
    action('shortcuts', 'Show the keyboard shortcuts', onShortcuts),
    { ...action('sign-out', 'Sign out', () => logout.mutate()), writes: true },
  ]
  return (
    <Finder
      title="Search pages, agents, chats, runs and actions"
      placeholder="Search or do…"
      choices={[...things, ...actions]}
      onClose={onClose}
    />
  )
}

function action(id: string, label: string, act: () => void): Choice {
  return { id, kind: 'Action', icon: 'right', label, act }
}

function useThings(): Choice[] {
  const navigate = useNavigate()
  const agents = useInfiniteQuery(agentList).data
  const runs = useInfiniteQuery(runsOf({})).data
  const sessions = useQuery(sessionList).data
  const names = agentNames(agents)
  const go = (to: string) => () => void navigate({ href: to })
  return [
    ...PAGES.map(({ to, label, icon }): Choice => ({ id: to, kind: 'Page', icon, label, act: go(to) })),
    ...(agents?.pages ?? []).flatMap((page) =>
      page.items.map(
        ({ id, name }): Choice => ({
          id,
          kind: 'Agent',
          icon: 'build',
          label: name || 'Untitled agent',
          act: go(`/build/${id}`),
        }),
      ),
    ),
    ...(sessions?.sessions ?? []).map(
      ({ id, title }): Choice => ({
        id,
        kind: 'Chat',
        icon: 'chat',
        label: title || 'New chat',
        act: go(`/chat/${id}`),
      }),
    ),
    ...(runs?.pages ?? []).flatMap((page) =>
      page.items.slice(0, 50).map(
        (run): Choice => ({
          id: run.id,
          kind: `Run, ${run.status.replaceAll('_', ' ')}`,
          icon: 'play',
          label: `${names.get(run.agent_id) || 'Run'} ${run.id.slice(-6)}`,
          act: go(`/library/runs/${run.id}`),
        }),
      ),
    ),
  ]
}
