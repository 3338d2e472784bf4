import { useReactFlow } from '@xyflow/react'
import { boxesOf } from '../boxes'
import { freshId, nodesOf, type Place, placeOf } from '../document'
import type { Faces } from '../faces'
import type { Offer } from '../menu/offers'
import { pinFor } from '../menu/offers'
import type { Operation } from '../operations'
import type { Editor } from '../useEditor'
import type { Origin } from './connecting'
import { WIDTH } from './geometry'
import { middleOfView } from './middle'

const GAP = 20
const NEW = 160 // how tall a new block is at most, nearly always

/** Where a new block goes, and the link that waits for it. */
export type Wanted = { origin: Origin; at: Place } | null

/** Put what was chosen on the canvas, connected to where its link began: one step. */
export function useAdding(editor: Editor, faces: Faces, onAdded: (id: string) => void) {
  const flow = useReactFlow()
  return (offer: Offer, wanted: Wanted) => {
    const id = freshId(editor.graph, offer.name)
    const position = wanted === null ? free(editor, faces, middleOfView(flow)) : placed(wanted)
    const operations: Operation[] = [
      {
        op: 'add_node',
        id,
        block: offer.block.id,
        position,
        ...(Object.keys(offer.inputs).length > 0 ? { inputs: offer.inputs } : {}),
      },
    ]
    const pin = wanted === null ? null : pinFor(offer, wanted.origin)
    if (wanted !== null && pin !== null) {
      const { nodeId, side, pin: began } = wanted.origin
      operations.push(
        side === 'out'
          ? { op: 'connect', from: nodeId, out: began.name, to: id, in: pin.name }
          : { op: 'connect', from: id, out: pin.name, to: nodeId, in: began.name },
      )
    }
    if (editor.apply(operations)) onAdded(id)
  }
}

function placed({ origin, at: [x, y] }: NonNullable<Wanted>): Place {
  return [Math.round(origin.side === 'in' ? x - WIDTH : x), Math.round(y - 40)]
}

/** Nobody wants two blocks on top of each other: the next place below that is free. */
function free(editor: Editor, faces: Faces, [x, y]: Place): Place {
  const { boxes } = boxesOf(editor.graph, faces)
  const places = new Map(nodesOf(editor.graph).map((node) => [node.id, placeOf(node)]))
  const column = boxes
    .map((box) => ({ ...box, at: places.get(box.id) ?? ([0, 0] as const) }))
    .filter(({ at, width }) => at[0] < x + WIDTH + GAP && at[0] + width + GAP > x)
    .sort((a, b) => a.at[1] - b.at[1])
  let top = y
  for (const { at, height } of column) {
    if (at[1] < top + NEW && at[1] + height + GAP > top) top = Math.ceil((at[1] + height + GAP) / 20) * 20
  }
  return [x, top]
}
