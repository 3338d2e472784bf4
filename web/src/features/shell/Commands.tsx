import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useLogout } from '@/features/accounts/queries'
import { agentList, agentNames } from '@/features/agents/queries'
import { sessionList } from '@/features/chat/queries'
import { runsOf } from '@/features/runs/queries'
import { say, sayStatus } from '@/kit/say'
import { useHotkey } from '@/kit/useHotkey'
import { type Choice, Finder } from '@/ui/Finder'
import { useHidden } from '@/ui/removals'
import { Drawer } from './Drawer'
import { PAGES } from './pages'
import { Rail } from './Rail'
import { Shortcuts } from './Shortcuts'
import { setTheme } from './theme'

/** The rail, and what the keyboard opens from anywhere. */
export function Commands({ isHome }: { isHome: boolean }) {
  const [open, setOpen] = useState<'palette' | 'shortcuts' | 'drawer' | null>(null)
  useHotkey({ key: 'k', mod: true, overDialogs: true }, () => setOpen('palette'))
  useHotkey({ key: '?', overDialogs: true }, () => setOpen('shortcuts'))
  const close = () => setOpen(null)
  return (
    <>
      <Rail
        isHome={isHome}
        drawn={open === 'drawer'}
        onSearch={() => setOpen('palette')}
        onDraw={() => setOpen('drawer')}
      />
      {open === 'palette' && <EverythingByName onClose={close} onShortcuts={() => setOpen('shortcuts')} />}
      {open === 'shortcuts' && <Shortcuts onClose={close} />}
      {open === 'drawer' && <Drawer onClose={close} />}
    </>
  )
}

function EverythingByName({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const things = useThings()
  const logout = useLogout()
  const navigate = useNavigate()
  const actions: Choice[] = [
    action('theme-light', say('shell.light'), () => setTheme('light')),
    action('theme-dark', say('shell.dark'), () => setTheme('dark')),
    action('theme-system', say('shell.systemTheme'), () => setTheme('system')),
    action('shortcuts', say('shell.showShortcuts'), onShortcuts),
    action('new-chat', say('shell.newChat'), () => void navigate({ to: '/' })),
    action('credentials', say('settings.credentials'), () => void navigate({ to: '/settings/credentials' })),
    action('api-keys', say('settings.keys'), () => void navigate({ to: '/settings/api-keys' })),
    { ...action('sign-out', say('shell.signOut'), () => logout.mutate()), writes: true },
  ]
  return (
    <Finder
      title={say('shell.paletteTitle')}
      placeholder={say('shell.paletteHint')}
      choices={[...things, ...actions]}
      onClose={onClose}
    />
  )
}

function action(id: string, label: string, act: () => void): Choice {
  return { id, kind: say('shell.action'), icon: 'right', label, act }
}

function useThings(): Choice[] {
  const navigate = useNavigate()
  const agents = useInfiniteQuery(agentList).data
  const runs = useInfiniteQuery(runsOf({})).data
  const sessions = useQuery(sessionList).data
  const names = agentNames(agents)
  const hidden = useHidden()
  const go = (to: string) => () => void navigate({ href: to })
  return [
    ...PAGES.map(
      ({ to, label, icon }): Choice => ({ id: to, kind: say('shell.page'), icon, label, act: go(to) }),
    ),
    ...(agents?.pages ?? []).flatMap((page) =>
      page.items.map(
        ({ id, name }): Choice => ({
          id,
          kind: say('shell.agent'),
          icon: 'build',
          label: name || say('common.untitledAgent'),
          act: go(`/build/${id}`),
        }),
      ),
    ),
    ...(sessions?.sessions ?? [])
      .filter(({ id }) => !hidden.has(id))
      .map(
        ({ id, title }): Choice => ({
          id,
          kind: say('shell.chat'),
          icon: 'chat',
          label: title || say('shell.newChat'),
          act: go(`/chat/${id}`),
        }),
      ),
    ...(runs?.pages ?? []).flatMap((page) =>
      page.items.slice(0, 50).map(
        (run): Choice => ({
          id: run.id,
          kind: say('shell.runStatus', { status: sayStatus(run.status) }),
          icon: 'play',
          label: `${names.get(run.agent_id) || say('shell.run')} ${run.id.slice(-6)}`,
          act: go(`/library/runs/${run.id}`),
        }),
      ),
    ),
  ]
}
