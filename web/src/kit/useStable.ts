import { useCallback, useLayoutEffect, useRef } from 'react'

/** The same function for as long as it is used, doing what the newest one given would do: for events, never for drawing. */
export function useStable<Given extends readonly unknown[], Result>(
  act: (...given: Given) => Result,
): (...given: Given) => Result {
  const latest = useRef(act)
  useLayoutEffect(() => {
    latest.current = act
  })
  return useCallback((...given: Given) => latest.current(...given), [])
}
