import { useEffect } from 'react'
import { useHotkey } from '@/kit/useHotkey'

/** Ctrl S saves once for each time that it is pressed, however long it is held. */
export function useSaveKey(save: () => void): void {
  useHotkey({ key: 's', mod: true }, save)

  useEffect(() => {
    // Taken on the way down to where the focus is; the hotkey hears it on the way up and leaves what is taken alone.
    function held(event: KeyboardEvent) {
      if (!event.repeat || !(event.ctrlKey || event.metaKey)) return
      if (event.key.toLowerCase() === 's') event.preventDefault()
    }
    window.addEventListener('keydown', held, { capture: true })
    return () => window.removeEventListener('keydown', held, { capture: true })
  }, [])
}
