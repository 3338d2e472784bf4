import { useState } from 'react'
import { SchemaInput } from '@/features/forms/SchemaInput'
import { fieldOf, valueIn, written } from '@/features/forms/schema'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import {
  connect,
  disconnect,
  type Link,
  linkKey,
  linksOf,
  type Node,
  nodesOf,
  removeNodes,
  renameNode,
  setInput,
} from './document'
import { type Block, inputSchema, pinsOf } from './pins'
import type { Editor } from './useEditor'

type Props = {
  editor: Editor
  node: Node
  blocks: ReadonlyMap<string, Block>
  readOnly: boolean
  onBack: () => void
}

/** One node's name, inputs and links: all that the canvas can do, without a pointer. */
export function NodePanel({ editor, node, blocks, readOnly, onBack }: Props) {
  const { graph, change } = editor
  const block = blocks.get(node.block)
  const incoming = new Map(
    linksOf(graph)
      .filter((link) => link.to === node.id)
      .map((link) => [link.in, link]),
  )
  return (
    <section className="stack" aria-label="Selected block">
      <div>
        <Button tiny look="ghost" onClick={onBack}>
          All blocks
        </Button>
        <h2>{node.name || block?.name || node.id}</h2>
        <p className="quiet small">{block?.description ?? 'This block is not installed here.'}</p>
      </div>
      <Field
        key={`name-${node.name ?? ''}`}
        label="Title"
        optional
        disabled={readOnly}
        defaultValue={node.name ?? ''}
        onBlur={(event) => {
          const name = event.target.value.trim()
          if (name !== (node.name ?? '')) change((now) => renameNode(now, node.id, name))
        }}
      />
      {pinsOf(graph, node, block).inputs.map((pin) => {
        const link = incoming.get(pin)
        return (
          <div key={pin} className="pin-field">
            {link ? (
              <Source
                link={link}
                readOnly={readOnly}
                onCut={() => change((now) => disconnect(now, new Set([linkKey(link)])))}
              />
            ) : (
              <Literal editor={editor} node={node} block={block} pin={pin} readOnly={readOnly} />
            )}
            {!readOnly && !link && <SourceChoice editor={editor} node={node} pin={pin} blocks={blocks} />}
          </div>
        )
      })}
      {!readOnly && (
        <div>
          <Button
            look="danger"
            icon="trash"
            onClick={() => change((now) => removeNodes(now, new Set([node.id])))}
          >
            Delete block
          </Button>
        </div>
      )}
    </section>
  )
}

function Source({ link, readOnly, onCut }: { link: Link; readOnly: boolean; onCut: () => void }) {
  return (
    <div className="row">
      <span className="wraps-anywhere">
        <strong>{link.in}</strong>{' '}
        <span className="quiet">
          from {link.from}, {link.out}
        </span>
      </span>
      {!readOnly && (
        <Button className="end" tiny look="plain" aria-label={`Disconnect ${link.in}`} onClick={onCut}>
          Disconnect
        </Button>
      )}
    </div>
  )
}

type LiteralProps = { editor: Editor; node: Node; block: Block | undefined; pin: string; readOnly: boolean }

type Typed = { words: string; kept: string; fault: string | undefined }

/** A literal is kept as it is typed; all that is typed into one field in a row is one step to undo. */
function Literal({ editor, node, block, pin, readOnly }: LiteralProps) {
  const { schema, required } = inputSchema(block, pin)
  const field = { ...fieldOf(pin, schema, required), label: pin }
  const kept = node.inputs?.[pin] === undefined ? field.initial : written(node.inputs[pin])
  // The words are the user's ("1.50") as long as what was kept of them ("1.5") is what the graph holds.
  const [typed, setTyped] = useState<Typed | null>(null)
  const shown = typed?.kept === kept ? typed : null

  function keep(words: string) {
    try {
      const value = words === '' ? undefined : valueIn(field, words)
      setTyped({ words, kept: value === undefined ? field.initial : written(value), fault: undefined })
      editor.change((graph) => setInput(graph, node.id, pin, value), `${node.id} ${pin}`)
    } catch (problem) {
      setTyped({ words, kept, fault: problem instanceof Error ? problem.message : String(problem) })
    }
  }

  return (
    <SchemaInput
      field={field}
      value={shown?.words ?? kept}
      fault={shown?.fault}
      disabled={readOnly}
      onChange={keep}
    />
  )
}

type ChoiceProps = { editor: Editor; node: Node; pin: string; blocks: ReadonlyMap<string, Block> }

function SourceChoice({ editor, node, pin, blocks }: ChoiceProps) {
  const { graph, change } = editor
  const outputs = nodesOf(graph)
    .filter((other) => other.id !== node.id)
    .flatMap((other) =>
      pinsOf(graph, other, blocks.get(other.block)).outputs.map((out) => ({ from: other.id, out })),
    )
  if (outputs.length === 0) return null
  return (
    <select
      className="input source-choice"
      aria-label={`Connect ${pin} from`}
      value=""
      onChange={(event) => {
        const chosen = outputs[Number(event.target.value)]
        if (chosen) change((now) => connect(now, { ...chosen, to: node.id, in: pin }))
      }}
    >
      <option value="">Connect…</option>
      {outputs.map(({ from, out }, index) => (
        <option key={`${from}.${out}`} value={index}>
          {from}, {out}
        </option>
      ))}
    </select>
  )
}
