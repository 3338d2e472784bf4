import { type ReactNode, useEffect, useId, useRef } from 'react'
import { say } from '@/kit/say'
import { Button } from './Button'

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

  useEffect(() => {
    const before = document.activeElement
    place.current?.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc is the keyboard's way; this is a click beside the dialog
    <dialog
      ref={place}
      className={drawer ? 'drawer' : wide ? 'wide' : ''}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === place.current && onClose()}
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
