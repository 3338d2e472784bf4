import { type ReactNode, useEffect, useState } from 'react'
import { useLink } from '@/api/live/live'
import { say } from '@/kit/say'
import { useOnline } from '@/kit/useOnline'
import { WritesOff } from '@/ui/writes'
import { serverAnswers } from './build'

const OFFLINE = say('shell.off')
const AWAY = say('shell.away')
const EVERY = 3_000

/** Turns off everything that writes while no write could arrive, and on again by itself. */
export function Reach({ children }: { children: ReactNode }) {
  const online = useOnline()
  const away = useServerAway(useLink() === 'lost')
  const off = online ? (away ? AWAY : null) : OFFLINE
  return <WritesOff value={off}>{children}</WritesOff>
}

/** A lost live link says little: something between may refuse sockets only. So the server itself is asked. */
function useServerAway(lost: boolean): boolean {
  const [away, setAway] = useState(false)
  useEffect(() => {
    if (!lost) return
    const stop = new AbortController()
    const look = () =>
      void serverAnswers(stop.signal).then((answers) => !stop.signal.aborted && setAway(!answers))
    look()
    const beat = setInterval(look, EVERY)
    return () => {
      clearInterval(beat)
      stop.abort()
      setAway(false)
    }
  }, [lost])
  return away
}
