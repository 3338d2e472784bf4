import { Link } from '@tanstack/react-router'
import { say } from '@/kit/say'
import { Icon, type IconName } from '@/ui/Icon'

type Page = { to: '/' | '/build' | '/library' | '/activity' | '/settings'; label: string; icon: IconName }

export const PAGES: readonly Page[] = [
  { to: '/', label: say('shell.autopilot'), icon: 'wheel' },
  { to: '/build', label: say('shell.build'), icon: 'build' },
  { to: '/library', label: say('shell.library'), icon: 'library' },
  { to: '/activity', label: say('shell.activity'), icon: 'activity' },
  { to: '/settings', label: say('shell.settings'), icon: 'settings' },
]

type Props = { isHome: boolean; onSearch: () => void }

/** The way around the house: a rail beside the page, a bar below it on a phone. */
export function Rail({ isHome, onSearch }: Props) {
  return (
    <nav className="rail" aria-label={say('shell.main')}>
      <Link to="/" className="brand" aria-label={say('shell.home')}>
        <Icon name="wheel" /> <span>{say('shell.brand')}</span>
      </Link>
      <button type="button" className="rail-search" onClick={onSearch}>
        <Icon name="search" />
        <span>{say('shell.search')}</span>
        <kbd className="end">{/Mac/.test(navigator.platform) ? '⌘' : 'Ctrl '}K</kbd>
      </button>
      <ul>
        {PAGES.map((page) => (
          <li key={page.to}>
            <Link
              to={page.to}
              activeOptions={{ exact: page.to === '/' }}
              aria-current={page.to === '/' && isHome ? 'page' : undefined}
              className={page.to === '/' && isHome ? 'active' : ''}
            >
              <Icon name={page.icon} />
              <span>{page.label}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
