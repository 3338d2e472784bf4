import { Link } from '@tanstack/react-router'
import { say } from '@/kit/say'
import { useNarrow } from '@/kit/useNarrow'
import { Icon } from '@/ui/Icon'
import { NeedsYouCount } from './NeedsYouCount'
import { ON_BAR, PAGES } from './pages'

type Props = {
  isHome: boolean
  /** Whether the drawer is open. */
  drawn: boolean
  onSearch: () => void
  onDraw: () => void
}

/** The way around the house: a rail beside the page; on a phone a bar below it, and a drawer with the rest. */
export function Rail({ isHome, drawn, onSearch, onDraw }: Props) {
  const narrow = useNarrow()
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
        {(narrow ? PAGES.slice(0, ON_BAR) : PAGES).map((page) => (
          <li key={page.to}>
            <Link
              to={page.to}
              activeOptions={{ exact: page.to === '/' }}
              aria-current={page.to === '/' && isHome ? 'page' : undefined}
              className={page.to === '/' && isHome ? 'active' : ''}
            >
              <Icon name={page.icon} />
              <span>{page.label}</span>
              {page.to === '/activity' && <NeedsYouCount />}
            </Link>
          </li>
        ))}
      </ul>
      {narrow && (
        <button
          type="button"
          className="rail-search"
          aria-haspopup="dialog"
          aria-expanded={drawn}
          onClick={onDraw}
        >
          <Icon name="list" />
          <span>{say('shell.menu')}</span>
        </button>
      )}
    </nav>
  )
}
