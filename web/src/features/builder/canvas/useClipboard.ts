import { useReactFlow } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import { isBehindDialog } from '@/kit/hotkey'
import { sayCount } from '@/kit/say'
import { toast } from '@/ui/toasts'
import { copied, pasted, readClip } from '../clipboard'
import type { Block } from '../pins'
import type { Editor } from '../useEditor'
import type { Board } from './board'
import { middleOfView } from './middle'

/** Copy, cut and paste of blocks by the browser's own events, so that no permission is asked. */
export function useClipboard(
  board: Board,
  editor: Editor,
  blocks: ReadonlyMap<string, Block>,
  readOnly: boolean,
): void {
  const flow = useReactFlow()
  const latest = useRef({ editor, blocks, readOnly })
  latest.current = { editor, blocks, readOnly }

  useEffect(() => {
    const chosen = () => board.nodes.flatMap((node) => (node.selected ? [node.id] : []))

    function copy(event: ClipboardEvent) {
      const ids = chosen()
      if (isElsewhere(event) || ids.length === 0) return
      event.clipboardData?.setData(
        'text/plain',
        copied(latest.current.editor.graph, new Set(ids), latest.current.blocks),
      )
      event.preventDefault()
      if (event.type === 'cut' && !latest.current.readOnly) {
        latest.current.editor.apply(ids.map((node) => ({ op: 'remove_node', node })))
      } else toast(sayCount('canvas.copied', ids.length))
    }

    function paste(event: ClipboardEvent) {
      const clip = readClip(event.clipboardData?.getData('text/plain') ?? '')
      if (isElsewhere(event) || clip === null || latest.current.readOnly) return
      event.preventDefault()
      const { editor: now, blocks: known } = latest.current
      const { operations, ids } = pasted(now.graph, clip, known, middleOfView(flow))
      if (ids.length === 0) return
      now.apply(operations)
      requestAnimationFrame(() => board.choose(new Set(ids)))
      toast(sayCount('canvas.pasted', ids.length))
    }

    const listeners = [['copy', copy] as const, ['cut', copy] as const, ['paste', paste] as const]
    for (const [name, listen] of listeners) document.addEventListener(name, listen)
    return () => {
      for (const [name, listen] of listeners) document.removeEventListener(name, listen)
    }
  }, [flow, board])
}

/** Somebody copies words, not blocks, or is in a dialog, from where no block can be seen. */
function isElsewhere(event: ClipboardEvent): boolean {
  if (isBehindDialog()) return true
  const target = event.target
  if (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
    return true
  return event.type !== 'paste' && (getSelection()?.toString() ?? '') !== ''
}
