import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react'
import { say } from '@/kit/say'
import { Button } from './Button'
import { laidOver } from './dialogs'

type Props = {
  title: string
  wide?: boolean
  plain?: boolean
  /** It slides out of the side and is as high as the window. */
  drawer?: boolean
  onClose: () => void
  children: ReactNode
}

/**
 * A dialog over the page. The browser's own modal keeps the focus inside, gives it back afterwards,
 * and lets Esc close the topmost one only.
 */
export function Dialog({ title, wide = false, plain = false, drawer = false, onClose, children }: Props) {
  const place = useRef<HTMLDialogElement>(null)
  const id = useId()
  // A selection dragged out of the dialog ends in a click on it, too; only one that began beside it closes.
  const began = useRef(false)

  useEffect(() => {
    const before = document.activeElement
    const dialog = place.current as HTMLDialogElement
    dialog.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])

  // What it holds for a while must be out of it before it is taken away.
  useLayoutEffect(() => laidOver(place.current as HTMLDialogElement), [])

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc is the keyboard's way; this is a click beside the dialog
    <dialog
      ref={place}
      // React Flow then takes no Delete that is pressed in here for the blocks below.
      className={drawer ? 'nokey drawer' : wide ? 'nokey wide' : 'nokey'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => {
        began.current = event.target === place.current
      }}
      onClick={(event) => began.current && event.target === place.current && onClose()}
    >
      <div className={plain ? 'unseen' : 'head'}>
        <h2 id={id}>{title}</h2>
        {!plain && (
          <Button
            className="end"
            look="ghost"
            icon="close"
            aria-label={say('common.close')}
            onClick={onClose}
          />
        )}
      </div>
      {plain ? children : <div className="body">{children}</div>}
    </dialog>
  )
}
