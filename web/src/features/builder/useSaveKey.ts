import { useEffect } from 'react'
import { isBehindDialog } from '@/kit/hotkey'
import { useHotkey } from '@/kit/useHotkey'

/** Ctrl S saves once for each time that it is pressed, however long it is held, and nothing behind a dialog. */
export function useSaveKey(save: () => void): void {
  useHotkey({ key: 's', mod: true }, save)

  useEffect(() => {
    // Taken on the way down to where the focus is; the hotkey hears it on the way up and leaves what is taken alone.
    function held(event: KeyboardEvent) {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return
      // Behind a dialog, too: the browser would ask where to put this page as a file.
      if (event.repeat || isBehindDialog()) event.preventDefault()
    }
    window.addEventListener('keydown', held, { capture: true })
    return () => window.removeEventListener('keydown', held, { capture: true })
  }, [])
}
