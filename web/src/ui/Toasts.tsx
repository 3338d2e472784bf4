import { useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { say } from '@/kit/say'
import { listenedTo } from './announce'
import { Button } from './Button'
import { keptOnTop } from './dialogs'
import { dismiss, useToasts } from './toasts'

/** In the corner; while a dialog is open they are part of it, since all else is out of reach then. */
export function Toasts() {
  const home = useRef<HTMLDivElement>(null)
  const [corner] = useState(madeCorner)

  useLayoutEffect(() => {
    listenedTo()
    return keptOnTop(corner, home.current as HTMLElement)
  }, [corner])

  return (
    <>
      <div ref={home} className="toasts-home" />
      {createPortal(<Shown />, corner)}
    </>
  )
}

function madeCorner(): HTMLElement {
  const corner = document.createElement('div')
  corner.className = 'toasts'
  corner.setAttribute('role', 'status')
  corner.setAttribute('aria-live', 'polite')
  return corner
}

function Shown() {
  const toasts = useToasts()
  return (
    <>
      {toasts.map((said) => (
        <div key={said.id} className={`toast ${said.tone}`}>
          <div>
            {said.message}
            {said.requestId && (
              <div className="quiet small">{say('common.request', { id: said.requestId })}</div>
            )}
          </div>
          {said.action && (
            <Button
              tiny
              look="plain"
              onClick={() => {
                said.action?.act()
                dismiss(said.id)
              }}
            >
              {said.action.label}
            </Button>
          )}
          <Button
            className="end"
            tiny
            look="ghost"
            icon="close"
            aria-label={say('common.dismiss')}
            onClick={() => dismiss(said.id)}
          />
        </div>
      ))}
    </>
  )
}
