import { useEffect, useRef } from 'react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { titleOf } from '../canvas/drawing'
import type { Node } from '../document'
import type { Faces } from '../faces'
import { isCredentials, type Pin, pinsOf, wiringOf } from '../pins'
import type { Problem } from '../problems/problem'
import type { Editor } from '../useEditor'
import { PinField } from './PinField'
import { SubAgent } from './SubAgent'
import { TitleField } from './TitleField'

type Props = {
  editor: Editor
  node: Node
  faces: Faces
  problems: readonly Problem[]
  readOnly: boolean
  /** The field to go to, when somebody followed a problem here. */
  field: string | null
  onBack: () => void
}

/** One node's name, inputs and links: all that the canvas can do, without a pointer. */
export function NodePanel({ editor, node, faces, problems, readOnly, field, onBack }: Props) {
  const { graph, apply } = editor
  const block = faces(node)
  const panel = useRef<HTMLElement>(null)
  const linked = new Set((wiringOf(graph).into.get(node.id) ?? []).map((link) => link.in))
  const pins = pinsOf(graph, node, block).inputs.filter((pin) => !pin.hidden || linked.has(pin.name))
  const isSet = (pin: Pin) => node.inputs?.[pin.name] !== undefined || linked.has(pin.name)
  const folded = pins.filter((pin) => pin.advanced && !isSet(pin))
  const faults = new Map(
    problems.filter((one) => one.nodeId === node.id).map((one) => [one.field, one.message]),
  )
  const one = (pin: Pin) => (
    <PinField
      key={pin.name}
      editor={editor}
      node={node}
      pin={pin}
      faces={faces}
      fault={faults.get(pin.name)}
      readOnly={readOnly}
    />
  )

  // Who came by keyboard goes on from here; who clicked on the canvas stays there.
  useEffect(() => {
    const place =
      field === null
        ? null
        : panel.current?.querySelector<HTMLElement>(
            `[data-pin="${CSS.escape(field)}"] :is(input, textarea, select)`,
          )
    if (place) place.focus()
    else if (document.activeElement === document.body)
      panel.current?.querySelector<HTMLElement>('h2')?.focus()
  }, [field])

  return (
    <section ref={panel} className="stack" aria-label={say('canvas.selected')}>
      <div>
        <Button tiny look="ghost" onClick={onBack}>
          {say('canvas.back')}
        </Button>
        <h2 tabIndex={-1}>{titleOf(node, block)}</h2>
        <p className="quiet small">{block?.description ?? say('canvas.not_installed')}</p>
      </div>
      {faults.has('block') && <p className="fault small">{faults.get('block')}</p>}
      <TitleField editor={editor} node={node} readOnly={readOnly} />
      {block?.kind === 'agent' && <SubAgent editor={editor} node={node} readOnly={readOnly} faces={faces} />}
      {pins.filter((pin) => !folded.includes(pin)).map(one)}
      {folded.length > 0 && (
        <details open={folded.some((pin) => pin.name === field)}>
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
