import { useEffect, useState } from 'react'

/** The present, told again every so often; every second while something is being timed. */
export function useNow(everyMillis = 30_000, active = true): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!active) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), everyMillis)
    return () => clearInterval(timer)
  }, [everyMillis, active])
  return now
}
