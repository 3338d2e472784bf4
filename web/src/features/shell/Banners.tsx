import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useConnection, useLink } from '@/api/live/live'
import { standing } from '@/features/accounts/queries'
import { recall, remember } from '@/kit/stored'
import { useOnline } from '@/kit/useOnline'
import { Button } from '@/ui/Button'
import { buildOf, runningBuild } from './build'

/** One line over the page for what concerns all of it, the most pressing first. */
export function Banners() {
  const online = useOnline()
  const link = useLink()
  useConnection()
  const upgraded = useUpgraded(link === 'open')
  if (!online) {
    return (
      <Banner tone="warn">
        <span>
          You are offline. What you type is kept
          <span className="roomy">; changes are off until you are back</span>.
        </span>
      </Banner>
    )
  }
  if (link === 'lost') return <Banner tone="warn">Reconnecting to the server…</Banner>
  if (upgraded) {
    return (
      <Banner tone="info">
        The server runs a new version.
        <Button tiny look="plain" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </Banner>
    )
  }
  return <NoModel />
}

const DISMISSED = 'no-model-banner'

/** Until a model is connected the offline pilot answers; once told is enough. */
function NoModel() {
  const { data } = useQuery(standing)
  const [dismissed, setDismissed] = useState(() => recall(DISMISSED) === 'dismissed')
  if (dismissed || data?.kind !== 'signed_in' || data.me.flags.model_connected !== false) return null
  return (
    <Banner tone="info">
      <span>
        No model is connected<span className="roomy">: the offline pilot answers</span>.{' '}
        <Link to="/settings">Connect a model</Link>
      </span>
      <Button
        tiny
        look="ghost"
        icon="close"
        aria-label="Dismiss"
        onClick={() => {
          remember(DISMISSED, 'dismissed')
          setDismissed(true)
        }}
      />
    </Banner>
  )
}

function Banner({ tone, children }: { tone: 'warn' | 'info'; children: React.ReactNode }) {
  return (
    <div className={`banner ${tone}`} role="status">
      {children}
    </div>
  )
}

/** Whenever the connection comes back the server may be another one: is its page still ours? */
function useUpgraded(connected: boolean): boolean {
  const [upgraded, setUpgraded] = useState(false)
  const before = useRef(false)
  useEffect(() => {
    const returned = connected && before.current
    if (connected) before.current = true
    if (!returned) return
    const stop = new AbortController()
    void runningBuild(stop.signal).then((build) => setUpgraded(build !== null && build !== buildOf(document)))
    return () => stop.abort()
  }, [connected])
  return upgraded
}
