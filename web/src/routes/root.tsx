import { useQuery } from '@tanstack/react-query'
import { Navigate, Outlet, useLocation, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { standing } from '@/features/accounts/queries'
import { Banners } from '@/features/shell/Banners'
import { Commands } from '@/features/shell/Commands'
import { Reach } from '@/features/shell/Reach'
import { say } from '@/kit/say'
import { ErrorPanel } from '@/ui/States'
import { Toasts } from '@/ui/Toasts'
import { returnTo } from './entrance'

export function RootPage() {
  return (
    <Reach>
      <Doors />
    </Reach>
  )
}

/** Every page stands behind the same door: set up first, then signed in. */
function Doors() {
  const { data, error, isPending, refetch } = useQuery(standing)
  const { pathname, href } = useLocation()
  // The page that the outlet shows: while a redirect is under way the address is already ahead of it.
  const shown = useRouterState({ select: (router) => router.matches.at(-1)?.fullPath })
  if (isPending) return <FrameSkeleton />
  if (error && data === undefined) {
    return (
      <main className="sheet">
        <ErrorPanel problem={error} onRetry={() => void refetch()} />
      </main>
    )
  }
  if (data.kind !== 'signed_in') {
    const door = data.kind === 'needs_owner' ? '/setup' : '/login'
    if (shown === door) return <Outlet />
    if (pathname === door) return null
    return <Navigate to={door} search={door === '/login' ? { next: returnTo(href) } : {}} replace />
  }
  return <House pathname={pathname} />
}

/** The frame before it is known who looks at it. */
function FrameSkeleton() {
  return (
    <div className="frame" role="status" aria-label={say('common.loading')}>
      <div className="rail" />
      <div className="page" />
    </div>
  )
}

function House({ pathname }: { pathname: string }) {
  const main = useRef<HTMLElement>(null)
  const before = useRef<string | undefined>(undefined)
  // The address is ahead of what is shown; the focus leaves with the old page, so the new one must be there.
  const arrived = useRouterState({ select: (router) => router.resolvedLocation?.pathname })

  // A new page is a new place to read from: the focus goes there, as it would on a page load.
  useEffect(() => {
    const isNew = before.current !== undefined && before.current !== arrived
    before.current = arrived
    if (isNew && !main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true })
  }, [arrived])

  return (
    <div className="frame">
      <a className="button skip" href="#main">
        {say('shell.skip')}
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
