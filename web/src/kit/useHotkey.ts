import { useEffect, useRef } from 'react'

export type Hotkey = { key: string; mod?: boolean; shift?: boolean; whileTyping?: boolean }

/** Call `act` when the key is pressed. Plain keys do nothing while somebody types; `mod` is Ctrl, or Cmd on a Mac. */
export function useHotkey(hotkey: Hotkey, act: () => void): void {
  const latest = useRef(act)
  latest.current = act
  const { key, mod = false, shift, whileTyping = mod } = hotkey

  useEffect(() => {
    function pressed(event: KeyboardEvent) {
      if (event.defaultPrevented || event.isComposing || event.altKey) return
      if (event.key.toLowerCase() !== key.toLowerCase() || (event.ctrlKey || event.metaKey) !== mod) return
      if (shift !== undefined && event.shiftKey !== shift) return
      if (!whileTyping && isTyping(event.target)) return
      event.preventDefault()
      latest.current()
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [key, mod, shift, whileTyping])
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}
