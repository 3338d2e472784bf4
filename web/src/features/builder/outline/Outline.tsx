import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import { say } from '@/kit/say'
import { announce } from '@/ui/announce'
import { Icon } from '@/ui/Icon'
import { StatusBadge } from '@/ui/StatusBadge'
import { useBoard } from '../canvas/board'
import { useKeyed } from '../canvas/stores'
import type { Faces } from '../faces'
import { useLiveNode } from '../run/live'
import type { Editor } from '../useEditor'
import './outline.css'
import { type Row, rowsOf } from './rows'
import { ROW, useWindow } from './useWindow'

type Props = { editor: Editor; faces: Faces; readOnly: boolean; onPick: (id: string) => void }

/** The blocks as a tree: the canvas for those who do not point. Arrows move, Enter edits, Delete removes. */
export function Outline({ editor, faces, readOnly, onPick }: Props) {
  const id = useId()
  const tree = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [at, setAt] = useState(0)
  const rows = useMemo(() => rowsOf(editor.graph, faces, open), [editor.graph, faces, open])
  const active = rows[Math.min(at, rows.length - 1)]
  const seen = useWindow(tree, rows.length)

  function unfold(row: Row, isOpen: boolean) {
    const next = new Set(open)
    if (isOpen) next.add(row.nodeId)
    else next.delete(row.nodeId)
    setOpen(next)
  }

  function go(to: number) {
    const next = Math.max(0, Math.min(rows.length - 1, to))
    setAt(next)
    seen.show(next)
  }

  function remove(row: Row) {
    if (readOnly) return
    if (row.kind === 'node') {
      if (editor.apply([{ op: 'remove_node', node: row.nodeId }]))
        announce(say('canvas.outline.removed', { title: row.title }))
    } else {
      const { from, out, to, in: sink } = row.link
      if (editor.apply([{ op: 'disconnect', from, out, to, in: sink }]))
        announce(say('canvas.outline.cut', { pin: sink }))
    }
  }

  function pressed(event: KeyboardEvent) {
    if (active === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const place = rows.indexOf(active)
    const acts: Record<string, () => void> = {
      ArrowDown: () => go(place + 1),
      ArrowUp: () => go(place - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () =>
        active.kind === 'node' && active.links > 0 && !active.isOpen ? unfold(active, true) : go(place + 1),
      ArrowLeft: () =>
        active.kind === 'node' && active.isOpen
          ? unfold(active, false)
          : go(rows.findIndex((row) => row.kind === 'node' && row.nodeId === active.nodeId)),
      Enter: () => onPick(active.nodeId),
      Delete: () => remove(active),
    }
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : undefined
    if (act === undefined) return
    event.preventDefault()
    act()
  }

  return (
    <section className="stack tight outline-section" aria-label={say('canvas.outline')}>
      <h2>{say('canvas.outline.title')}</h2>
      {rows.length === 0 && <p className="quiet">{say('canvas.empty')}</p>}
      {rows.length > 0 && (
        <div
          ref={tree}
          className="outline"
          role="tree"
          tabIndex={0}
          aria-label={say('canvas.outline')}
          aria-activedescendant={active && `${id}-${active.key}`}
          onKeyDown={pressed}
          onScroll={seen.scrolled}
        >
          <div role="presentation" style={{ height: rows.length * ROW, position: 'relative' }}>
            {rows.slice(seen.first, seen.last).map((row, index) => (
              <OutlineRow
                key={row.key}
                id={`${id}-${row.key}`}
                row={row}
                place={seen.first + index}
                count={rows.length}
                isActive={row === active}
                onPick={() => onPick(row.nodeId)}
                onFold={() => row.kind === 'node' && unfold(row, !row.isOpen)}
              />
            ))}
          </div>
        </div>
      )}
    </section>
  )
}

type RowProps = {
  id: string
  row: Row
  place: number
  count: number
  isActive: boolean
  onPick: () => void
  onFold: () => void
}

function OutlineRow({ id, row, place, count, isActive, onPick, onFold }: RowProps) {
  const isNode = row.kind === 'node'
  const folds = isNode && row.links > 0
  return (
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={isNode ? 1 : 2}
      aria-posinset={place + 1}
      aria-setsize={count}
      aria-selected={isActive}
      aria-expanded={folds ? row.isOpen : undefined}
      className="outline-row"
      style={{ top: place * ROW }}
    >
      {/* Pointing at the mark folds the row out; the keyboard has its arrows. */}
      <span className="outline-fold" aria-hidden="true" onClick={onFold} onKeyDown={undefined}>
        {folds && <Icon name={row.isOpen ? 'down' : 'right'} />}
      </span>
      <button
        type="button"
        tabIndex={-1}
        className="fold clip"
        onClick={onPick}
        title={isNode ? row.title : undefined}
      >
        {isNode
          ? row.title
          : say('canvas.outline.link', { in: row.link.in, from: row.from, out: row.link.out })}
      </button>
      {isNode && <Signs nodeId={row.nodeId} />}
    </div>
  )
}

function Signs({ nodeId }: { nodeId: string }) {
  const { marks } = useBoard()
  const status = useLiveNode(nodeId)?.status
  const mark = useKeyed(marks, nodeId)
  return (
    <span className="end row tight">
      {mark && (
        <span className="outline-mark" data-mark={mark} role="img" aria-label={say(`canvas.mark.${mark}`)}>
          <Icon name="warning" />
        </span>
      )}
      {status && <StatusBadge status={status} />}
    </span>
  )
}
