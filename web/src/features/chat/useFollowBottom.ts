import { type RefObject, useEffect, useRef, useState } from 'react'

const NEAR = 48

/**
 * Keep the end in view while the reader is at the end; leave the reader alone otherwise, and say when more came.
 * `last` is the newest event: what grows because somebody opens it is nothing new.
 */
export function useFollowBottom(frame: RefObject<HTMLElement | null>, last: number) {
  const following = useRef(true)
  const top = useRef(0) // where the frame was when we last looked
  const [behind, setBehind] = useState(false)

  function toBottom() {
    const place = frame.current
    if (place === null) return
    following.current = true
    place.scrollTop = place.scrollHeight
    top.current = place.scrollTop
    setBehind(false)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: every new event is looked at
  useEffect(() => {
    if (!following.current) setBehind(true)
  }, [last])

  useEffect(() => {
    const place = frame.current
    const content = place?.firstElementChild
    if (!place || !content) return
    const grew = new ResizeObserver(() => {
      if (following.current) place.scrollTop = place.scrollHeight
      top.current = place.scrollTop
    })
    // The news of our own scrolling comes a frame late, when more may have come below: only a reader goes up.
    const scrolled = () => {
      const isNear = place.scrollHeight - place.scrollTop - place.clientHeight < NEAR
      if (isNear) following.current = true
      else if (place.scrollTop < top.current) following.current = false
      top.current = place.scrollTop
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
