import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useConnection, useLink } from '@/api/live/live'
import { standing } from '@/features/accounts/queries'
import { say } from '@/kit/say'
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
          {say('shell.offline')}
          <span className="roomy">{say('shell.offlineMore')}</span>.
        </span>
      </Banner>
    )
  }
  if (link === 'lost') return <Banner tone="warn">{say('shell.reconnecting')}</Banner>
  if (upgraded) {
    return (
      <Banner tone="info">
        {say('shell.newVersion')}
        <Button tiny look="plain" onClick={() => window.location.reload()}>
          {say('shell.reload')}
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
        {say('shell.noModel')}
        <span className="roomy">{say('shell.noModelMore')}</span>.{' '}
        <Link to="/settings">{say('shell.connectModel')}</Link>
      </span>
      <Button
        tiny
        look="ghost"
        icon="close"
        aria-label={say('common.dismiss')}
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
