import { useQuery } from '@tanstack/react-query'
import { standing, useLogout } from '@/features/accounts/queries'
import { Appearance } from '@/features/settings/Appearance'
import { Models } from '@/features/settings/Models'
import { Password } from '@/features/settings/Password'
import { Profile } from '@/features/settings/Profile'
import { useTitle } from '@/kit/useTitle'
import { Button } from '@/ui/Button'

export function SettingsPage() {
  useTitle('Settings')
  const logout = useLogout()
  const { data } = useQuery(standing)
  if (data?.kind !== 'signed_in') return null
  return (
    <div className="sheet settings">
      <header>
        <h1>Settings</h1>
        <Button className="end" look="plain" writes busy={logout.isPending} onClick={() => logout.mutate()}>
          Sign out
        </Button>
      </header>
      <Models />
      <Appearance />
      <Profile user={data.me.user} />
      <Password email={data.me.user.email} />
    </div>
  )
}
