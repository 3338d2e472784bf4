import { useEffect, useRef } from 'react'
import { type Hotkey, isBehindDialog, isMeant } from './hotkey'

/** Call `act` when the key is pressed; `mod` is Ctrl, or Cmd on a Mac. */
export function useHotkey(hotkey: Hotkey, act: () => void): void {
  const latest = useRef({ hotkey, act })
  latest.current = { hotkey, act }

  useEffect(() => {
    function pressed(event: KeyboardEvent) {
      if (event.defaultPrevented) return
      const place = { isTyping: isTyping(event.target), isBehind: isBehindDialog() }
      if (!isMeant(latest.current.hotkey, event, place)) return
      event.preventDefault()
      latest.current.act()
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}
