import { useState } from 'react'
import { ValueField } from '@/features/forms/ValueField'
import { say } from '@/kit/say'
import { announce } from '@/ui/announce'
import { answerOf } from '../canvas/connecting'
import { titleOf } from '../canvas/drawing'
import { type Graph, linkKey, type Node, nodesOf } from '../document'
import type { Faces } from '../faces'
import { isCredentials, type Pin, pinsOf, wiringOf } from '../pins'
import type { Problem } from '../problems/problem'
import type { Editor } from '../useEditor'
import type { Led } from './focus'
import { Source } from './Source'

type Props = {
  editor: Editor
  node: Node
  pin: Pin
  faces: Faces
  faults: readonly Problem[]
  readOnly: boolean
  led: Led
}

/** An input: the links that feed it, or its literal value, and what it could be connected to. */
export function PinField({ editor, node, pin, faces, faults, readOnly, led }: Props) {
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
          node={node}
          link={link}
          faces={faces}
          faults={faults.filter((one) => (one.link ?? linkKey(link)) === linkKey(link))}
          readOnly={readOnly}
          led={led}
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
          fault={faults.findLast(({ link }) => link === null)?.message}
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
        if (apply([{ op: 'connect', from: chosen.from, out: chosen.out, to: node.id, in: pin.name }]))
          announce(say('canvas.connected', { pin: pin.name }))
      }}
    >
      <option value="">{say('canvas.connect')}</option>
      {outputs?.map(({ from, out, title }, index) => (
        <option key={`${from}.${out}`} value={index}>
          {title}, {out}
        </option>
      ))}
    </select>
  )
}

type Output = { from: string; out: string; title: string }

function outputsFor(graph: Graph, faces: Faces, node: Node, pin: Pin): Output[] {
  const there = new Set(
    (wiringOf(graph).into.get(node.id) ?? [])
      .filter((link) => link.in === pin.name)
      .map((link) => `${link.from} ${link.out}`),
  )
  const nodes = nodesOf(graph)
  const titles = nodes.map((other) => titleOf(other, faces(other)))
  return nodes.flatMap((other, at) => {
    const face = faces(other)
    if (other.id === node.id || face?.kind === 'note') return []
    return pinsOf(graph, other, face)
      .outputs.filter((out) => !there.has(`${other.id} ${out.name}`))
      .filter(
        (out) => answerOf({ nodeId: other.id, side: 'out', pin: out }, node.id, 'in', pin).fit !== 'never',
      )
      .map((out) => ({ from: other.id, out: out.name, title: toldApart(titles, at, other.id) }))
  })
}

/** Blocks of one title are told apart by their ids. */
function toldApart(titles: readonly string[], at: number, id: string): string {
  const title = titles[at] ?? id
  return titles.indexOf(title) === titles.lastIndexOf(title) ? title : say('canvas.told_apart', { title, id })
}
