import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { standing, useLogout } from '@/features/accounts/queries'
import { ApiKeys } from '@/features/settings/ApiKeys'
import { Appearance } from '@/features/settings/Appearance'
import { Credentials } from '@/features/settings/Credentials'
import { Models } from '@/features/settings/Models'
import { Password } from '@/features/settings/Password'
import { Profile } from '@/features/settings/Profile'
import { say } from '@/kit/say'
import { useTitle } from '@/kit/useTitle'
import { Button } from '@/ui/Button'
import { Tabs } from '@/ui/Tabs'

/** Each part of the settings has an address of its own. */
function SettingsSheet({ narrow = false, children }: { narrow?: boolean; children: ReactNode }) {
  const logout = useLogout()
  return (
    <div className="sheet">
      <header>
        <h1>{say('settings.title')}</h1>
        <Button className="end" look="plain" writes busy={logout.isPending} onClick={() => logout.mutate()}>
          {say('settings.signOut')}
        </Button>
      </header>
      <Tabs label={say('settings.tabs')}>
        <Link to="/settings" activeOptions={{ exact: true }}>
          {say('settings.general')}
        </Link>
        <Link to="/settings/credentials">{say('settings.credentials')}</Link>
        <Link to="/settings/api-keys">{say('settings.keys')}</Link>
      </Tabs>
      <div className={narrow ? 'stack settings' : 'stack'}>{children}</div>
    </div>
  )
}

export function SettingsPage() {
  useTitle(say('settings.title'))
  const { data } = useQuery(standing)
  if (data?.kind !== 'signed_in') return null
  return (
    <SettingsSheet narrow>
      <Models />
      <Appearance />
      <Profile user={data.me.user} />
      <Password email={data.me.user.email} />
    </SettingsSheet>
  )
}

export function CredentialsPage() {
  useTitle(say('settings.credentials'))
  return (
    <SettingsSheet>
      <Credentials />
    </SettingsSheet>
  )
}

export function ApiKeysPage() {
  useTitle(say('settings.keys'))
  return (
    <SettingsSheet>
      <ApiKeys />
    </SettingsSheet>
  )
}
