import { Link } from '@tanstack/react-router'
import { Icon, type IconName } from '@/ui/Icon'

type Page = { to: '/' | '/build' | '/library' | '/activity' | '/settings'; label: string; icon: IconName }

export const PAGES: readonly Page[] = [
  { to: '/', label: 'AutoPilot', icon: 'wheel' },
  { to: '/build', label: 'Build', icon: 'build' },
  { to: '/library', label: 'Library', icon: 'library' },
  { to: '/activity', label: 'Activity', icon: 'activity' },
  { to: '/settings', label: 'Settings', icon: 'settings' },
]

type Props = { isHome: boolean; onSearch: () => void }

/** The way around the house: a rail beside the page, a bar below it on a phone. */
export function Rail({ isHome, onSearch }: Props) {
  return (
    <nav className="rail" aria-label="Main">
      <Link to="/" className="brand" aria-label="Pilothouse, home">
        <Icon name="wheel" /> <span>Pilothouse</span>
      </Link>
      <button type="button" className="rail-search" onClick={onSearch}>
        <Icon name="search" />
        <span>Search</span>
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
