import { useState } from 'react'
import { ValueField } from '@/features/forms/ValueField'
import { say } from '@/kit/say'
import { announce } from '@/ui/announce'
import { Button } from '@/ui/Button'
import { answerOf } from '../canvas/connecting'
import { titleOf } from '../canvas/drawing'
import { type Graph, type Link, type Node, nodeById, nodesOf } from '../document'
import type { Faces } from '../faces'
import { isCredentials, type Pin, pinsOf, wiringOf } from '../pins'
import type { Editor } from '../useEditor'

type Props = {
  editor: Editor
  node: Node
  pin: Pin
  faces: Faces
  fault: string | undefined
  readOnly: boolean
}

/** An input: the links that feed it, or its literal value, and what it could be connected to. */
export function PinField({ editor, node, pin, faces, fault, readOnly }: Props) {
  const sources = (wiringOf(editor.graph).into.get(node.id) ?? []).filter((link) => link.in === pin.name)
  const { apply } = editor

  function keep(value: unknown) {
    const mark = `${node.id} ${pin.name}`
    if (value !== undefined) {
      apply([{ op: 'set_input', node: node.id, field: [pin.name], value, keep_unknown: true }], mark)
    } else if (node.inputs && Object.hasOwn(node.inputs, pin.name)) {
      apply([{ op: 'unset_input', node: node.id, field: [pin.name] }], mark)
    }
  }

  return (
    <div className="pin-field" data-pin={pin.name}>
      {sources.map((link) => (
        <Source
          key={`${link.from} ${link.out}`}
          editor={editor}
          link={link}
          faces={faces}
          readOnly={readOnly}
        />
      ))}
      {sources.length === 0 && (
        <ValueField
          name={pin.name}
          label={pin.name}
          schema={pin.schema}
          root={pin.root}
          value={node.inputs?.[pin.name]}
          required={pin.required}
          fault={fault}
          disabled={readOnly}
          onChange={keep}
        />
      )}
      {!readOnly && !isCredentials(pin.name) && (
        <SourceChoice editor={editor} node={node} pin={pin} faces={faces} />
      )}
    </div>
  )
}

type SourceProps = { editor: Editor; link: Link; faces: Faces; readOnly: boolean }

function Source({ editor, link, faces, readOnly }: SourceProps) {
  const from = nodeById(editor.graph, link.from)
  return (
    <div className="row">
      <span className="wraps-anywhere">
        <strong>{link.in}</strong>{' '}
        <span className="quiet">
          {say('canvas.from', { node: from ? titleOf(from, faces(from)) : link.from, pin: link.out })}
        </span>
      </span>
      {!readOnly && (
        <Button
          className="end"
          tiny
          look="plain"
          aria-label={say('canvas.disconnect_pin', { pin: link.in })}
          onClick={() =>
            editor.apply([{ op: 'disconnect', from: link.from, out: link.out, to: link.to, in: link.in }])
          }
        >
          {say('canvas.disconnect')}
        </Button>
      )}
    </div>
  )
}

type ChoiceProps = { editor: Editor; node: Node; pin: Pin; faces: Faces }

const MANY = 60

/** Every output that may feed this pin, by name: what drawing a link does, without a pointer. */
function SourceChoice({ editor, node, pin, faces }: ChoiceProps) {
  const { graph, apply } = editor
  const [isAsked, setAsked] = useState(false)
  // Of many blocks the list is made when somebody reaches for it, not at every letter typed beside it.
  const outputs = isAsked || nodesOf(graph).length <= MANY ? outputsFor(graph, faces, node, pin) : null
  if (outputs?.length === 0) return null
  return (
    <select
      className="input source-choice"
      aria-label={say('canvas.connect_pin', { pin: pin.name })}
      value=""
      onFocus={() => setAsked(true)}
      onPointerDown={() => setAsked(true)}
      onBlur={() => setAsked(false)}
      onChange={(event) => {
        const chosen = outputs?.[Number(event.target.value)]
        if (chosen === undefined) return
        apply([{ op: 'connect', ...chosen, to: node.id, in: pin.name }])
        announce(say('canvas.connected', { pin: pin.name }))
      }}
    >
      <option value="">{say('canvas.connect')}</option>
      {outputs?.map(({ from, out }, index) => (
        <option key={`${from}.${out}`} value={index}>
          {from}, {out}
        </option>
      ))}
    </select>
  )
}

function outputsFor(graph: Graph, faces: Faces, node: Node, pin: Pin): { from: string; out: string }[] {
  const there = new Set(
    (wiringOf(graph).into.get(node.id) ?? [])
      .filter((link) => link.in === pin.name)
      .map((link) => `${link.from} ${link.out}`),
  )
  return nodesOf(graph).flatMap((other) => {
    const face = faces(other)
    if (other.id === node.id || face?.kind === 'note') return []
    return pinsOf(graph, other, face)
      .outputs.filter((out) => !there.has(`${other.id} ${out.name}`))
      .filter(
        (out) => answerOf({ nodeId: other.id, side: 'out', pin: out }, node.id, 'in', pin).fit !== 'never',
      )
      .map((out) => ({ from: other.id, out: out.name }))
  })
}
