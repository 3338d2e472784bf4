import { useQuery } from '@tanstack/react-query'
import { Navigate, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { standing } from '@/features/accounts/queries'
import { Banners } from '@/features/shell/Banners'
import { Commands } from '@/features/shell/Commands'
import { ErrorPanel } from '@/ui/States'
import { Toasts } from '@/ui/Toasts'

/** Every page stands behind the same door: set up first, then signed in. */
export function RootPage() {
  const { data, error, isPending, refetch } = useQuery(standing)
  const { pathname, href } = useLocation()
  if (isPending) return null
  if (error) {
    return (
      <main className="sheet">
        <ErrorPanel problem={error} onRetry={() => void refetch()} />
      </main>
    )
  }
  if (data.kind === 'needs_owner')
    return pathname === '/setup' ? <Outlet /> : <Navigate to="/setup" replace />
  if (data.kind === 'stranger') {
    return pathname === '/login' ? <Outlet /> : <Navigate to="/login" search={{ next: href }} replace />
  }
  return <House pathname={pathname} />
}

function House({ pathname }: { pathname: string }) {
  const main = useRef<HTMLElement>(null)
  const first = useRef(true)

  // A new page is a new place to read from: the focus goes there, as it would on a page load.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what changes
  useEffect(() => {
    if (first.current) first.current = false
    else if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true })
  }, [pathname])

  return (
    <div className="frame">
      <a className="button skip" href="#main">
        Skip to the page
      </a>
      <Commands isHome={pathname === '/' || pathname.startsWith('/chat/')} />
      <div className="page">
        <Banners />
        <main id="main" ref={main} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Toasts />
    </div>
  )
}
