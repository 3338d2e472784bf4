import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

const NEAR = 48

/** Keep the end in view while the reader is at the end; leave the reader alone otherwise. */
export function useFollowBottom(frame: RefObject<HTMLElement | null>, key: string | null) {
  const following = useRef(true)
  const [behind, setBehind] = useState(false)

  function toBottom() {
    const place = frame.current
    if (place === null) return
    following.current = true
    place.scrollTop = place.scrollHeight
    setBehind(false)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: another session starts at its end
  useLayoutEffect(toBottom, [key])

  useEffect(() => {
    const place = frame.current
    const content = place?.firstElementChild
    if (!place || !content) return
    const grew = new ResizeObserver(() => {
      if (following.current) place.scrollTop = place.scrollHeight
      else setBehind(true)
    })
    const scrolled = () => {
      following.current = place.scrollHeight - place.scrollTop - place.clientHeight < NEAR
      if (following.current) setBehind(false)
    }
    grew.observe(content)
    grew.observe(place)
    place.addEventListener('scroll', scrolled, { passive: true })
    return () => {
      grew.disconnect()
      place.removeEventListener('scroll', scrolled)
    }
  }, [frame])

  return { behind, toBottom }
}
