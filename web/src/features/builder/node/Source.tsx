import { useId, useState } from 'react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { titleOf } from '../canvas/drawing'
import { type Link, linkKey, type Node, nodeById } from '../document'
import type { Faces } from '../faces'
import { wantsKey } from '../parts'
import { baseOf, declaredPins, type Pin, pinsOf } from '../pins'
import type { Problem } from '../problems/problem'
import type { Editor } from '../useEditor'
import type { Led } from './focus'
import { LinkParts } from './LinkParts'

type Props = {
  editor: Editor
  node: Node
  link: Link
  faces: Faces
  faults: readonly Problem[]
  readOnly: boolean
  led: Led
}

/** A link that feeds an input: where it comes from, and which part of the one goes into which part of the other. */
export function Source({ editor, node, link, faces, faults, readOnly, led }: Props) {
  const id = useId()
  const from = nodeById(editor.graph, link.from)
  const out = from && pinsOf(editor.graph, from, faces(from)).outputs.find((pin) => pin.name === link.out)
  const sink = declared(faces, node, link.in)
  // Who has just chosen its part is not asked for it again.
  const isKept = led.kept === linkKey(link)
  const [open, setOpen] = useState(() => !isKept && sink !== undefined && wantsKey(out, sink, link))
  const isAimed = led.aim?.field === link.in && (led.aim.link ?? linkKey(link)) === linkKey(link)
  if (isAimed && !open) setOpen(true)

  function cut() {
    const { from, out, to, in: into } = link
    if (editor.apply([{ op: 'disconnect', from, out, to, in: into }])) led.onCut(link)
  }

  return (
    <>
      <div className="row wrap">
        <span className="wraps-anywhere">
          <strong>{link.in}</strong>{' '}
          <span className="quiet">
            {say('canvas.from', { node: from ? titleOf(from, faces(from)) : link.from, pin: link.out })}
          </span>
        </span>
        {!readOnly && (
          <span className="row end">
            {sink && (
              <Button
                tiny
                look="plain"
                data-link={linkKey(link)}
                aria-expanded={open}
                aria-describedby={faults.length > 0 ? id : undefined}
                aria-label={say('parts.of', { pin: link.in })}
                onClick={() => setOpen(!open)}
              >
                {say('parts.title')}
              </Button>
            )}
            <Button
              tiny
              look="plain"
              aria-label={say('canvas.disconnect_pin', { pin: link.in })}
              onClick={cut}
            >
              {say('canvas.disconnect')}
            </Button>
          </span>
        )}
      </div>
      {faults.length > 0 && (
        <p id={id} className="fault small">
          {faults.map(({ message }) => message).join(' ')}
        </p>
      )}
      {open && !readOnly && sink && (
        <LinkParts
          editor={editor}
          link={link}
          sink={sink}
          onKept={(kept) => {
            setOpen(false)
            led.onKept(kept)
          }}
        />
      )}
    </>
  )
}

function declared(faces: Faces, node: Node, pin: string): Pin | undefined {
  return declaredPins(faces(node)).inputs.find((one) => one.name === baseOf(pin))
}
