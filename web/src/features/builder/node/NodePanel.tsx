import { type RefObject, useEffect, useRef, useState } from 'react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { titleOf } from '../canvas/drawing'
import { linkKey, type Node } from '../document'
import type { Faces } from '../faces'
import { isCredentials, type Pin, pinsOf, wiringOf } from '../pins'
import type { Problem } from '../problems/problem'
import type { Editor } from '../useEditor'
import { type Aim, focusFirst, type Led, placesFreed, placesKept, placesOf } from './focus'
import { foldedApart, givenOf } from './folding'
import { PinField } from './PinField'
import { SubAgent } from './SubAgent'
import { TitleField } from './TitleField'

type Props = {
  editor: Editor
  node: Node
  faces: Faces
  problems: readonly Problem[]
  readOnly: boolean
  /** The field to go to, when somebody is led here; told once it is reached. */
  aim: Aim | null
  onArrived: () => void
  onBack: () => void
}

/** One node's name, inputs and links: all that the canvas can do, without a pointer. */
export function NodePanel(props: Props) {
  const { editor, node, faces, problems, readOnly, aim, onArrived, onBack } = props
  const { graph, apply } = editor
  const block = faces(node)
  const panel = useRef<HTMLElement>(null)
  const into = wiringOf(graph).into.get(node.id) ?? []
  const linked = new Set(into.map((link) => link.in))
  const pins = pinsOf(graph, node, block).inputs.filter((pin) => !pin.hidden || linked.has(pin.name))
  const [given] = useState(() => givenOf(node, into))
  const { open, folded } = foldedApart(pins, given)
  const faults = problems.filter((one) => one.nodeId === node.id)
  const whole = faults.findLast(({ field }) => field === 'block')
  const led = useLed(panel, aim)
  const one = (pin: Pin) => (
    <PinField
      key={pin.name}
      editor={editor}
      node={node}
      pin={pin}
      faces={faces}
      faults={faults.filter(({ field }) => field === pin.name)}
      readOnly={readOnly}
      led={led}
    />
  )

  // Who came by keyboard goes on from here; who clicked on the canvas stays there.
  useEffect(() => {
    const isThere = aim !== null && focusFirst(panel.current, placesOf(aim))
    if (!isThere && document.activeElement === document.body)
      panel.current?.querySelector<HTMLElement>('h2')?.focus()
    if (aim !== null) onArrived()
  }, [aim, onArrived])

  return (
    <section ref={panel} className="stack" aria-label={say('canvas.selected')}>
      <div>
        <Button tiny look="ghost" onClick={onBack}>
          {say('canvas.back')}
        </Button>
        <h2 tabIndex={-1}>{titleOf(node, block)}</h2>
        <p className="quiet small">{block?.description ?? say('canvas.not_installed')}</p>
      </div>
      {whole && <p className="fault small">{whole.message}</p>}
      <TitleField editor={editor} node={node} readOnly={readOnly} />
      {block?.kind === 'agent' && <SubAgent editor={editor} node={node} readOnly={readOnly} faces={faces} />}
      {open.map(one)}
      {folded.length > 0 && (
        <details>
          <summary>{say('canvas.advanced')}</summary>
          <div className="stack">{folded.map(one)}</div>
        </details>
      )}
      {pins.some((pin) => isCredentials(pin.name)) && (
        <label className="check">
          <input
            type="checkbox"
            disabled={readOnly}
            checked={node.optional_credentials ?? false}
            onChange={(event) =>
              apply([
                {
                  op: 'update_node',
                  node: node.id,
                  patch: { optional_credentials: event.target.checked || null },
                },
              ])
            }
          />{' '}
          {say('canvas.optional_credentials')}
        </label>
      )}
      {!readOnly && (
        <div>
          <Button look="danger" icon="trash" onClick={() => apply([{ op: 'remove_node', node: node.id }])}>
            {say('canvas.delete')}
          </Button>
        </div>
      )}
    </section>
  )
}

/** A link that is kept or cut is drawn anew, elsewhere or not at all: the focus goes on from where it went. */
function useLed(panel: RefObject<HTMLElement | null>, aim: Aim | null): Led {
  const [next, setNext] = useState<{ kept: string | null; places: readonly string[] } | null>(null)
  useEffect(() => {
    if (next !== null) focusFirst(panel.current, next.places)
  }, [panel, next])
  return {
    aim,
    kept: next?.kept ?? null,
    onKept: (link) => setNext({ kept: linkKey(link), places: placesKept(link) }),
    onCut: (link) => setNext({ kept: null, places: placesFreed(link) }),
  }
}
