import { Link } from '@tanstack/react-router'
import { useLogout } from '@/features/accounts/queries'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Icon } from '@/ui/Icon'
import { NeedsYouCount } from './NeedsYouCount'
import { PAGES } from './pages'

/** On a phone: all of the house, also what the bar below has no room for. */
export function Drawer({ onClose }: { onClose: () => void }) {
  const logout = useLogout()
  return (
    <Dialog title={say('shell.brand')} drawer onClose={onClose}>
      <nav className="drawer-pages" aria-label={say('shell.allPages')}>
        <ul>
          {PAGES.map(({ to, label, icon }) => (
            <li key={to}>
              <Link to={to} activeOptions={{ exact: true }} onClick={onClose}>
                <Icon name={icon} />
                <span>{label}</span>
                {to === '/activity' && <NeedsYouCount />}
              </Link>
            </li>
          ))}
          <li>
            <Link to="/settings/credentials" onClick={onClose}>
              <Icon name="lock" />
              <span>{say('settings.credentials')}</span>
            </Link>
          </li>
          <li>
            <Link to="/settings/api-keys" onClick={onClose}>
              <Icon name="key" />
              <span>{say('settings.keys')}</span>
            </Link>
          </li>
        </ul>
      </nav>
      <Button look="plain" writes busy={logout.isPending} onClick={() => logout.mutate()}>
        {say('shell.signOut')}
      </Button>
    </Dialog>
  )
}
