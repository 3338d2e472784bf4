import { type NodeProps, useStore } from '@xyflow/react'
import { memo } from 'react'
import { text } from '@/kit/json'
import { say } from '@/kit/say'
import { LazyMarkdown } from '@/ui/LazyMarkdown'
import { FAR } from './BlockNode'
import type { FlowNode } from './drawing'

const isFar = (state: { transform: readonly [number, number, number] }) => state.transform[2] < FAR

/** A remark beside the blocks. It never runs. */
export const NoteNode = memo(({ data, selected }: NodeProps<FlowNode>) => {
  const far = useStore(isFar)
  const words = text(data.inputs.text) ?? ''
  return (
    <div
      className="note-node"
      data-selected={selected}
      data-colour={text(data.inputs.color) ?? 'yellow'}
      role="note"
    >
      {!far &&
        (words === '' ? <p className="quiet">{say('canvas.note.empty')}</p> : <LazyMarkdown text={words} />)}
    </div>
  )
})
