import { Handle, type NodeProps, Position, useStore } from '@xyflow/react'
import { memo } from 'react'
import { inline } from '@/kit/json'
import { say } from '@/kit/say'
import { Icon } from '@/ui/Icon'
import type { Pin } from '../pins'
import { NodeFoot } from '../run/NodeFoot'
import { useBoard } from './board'
import { answerOf, typeWords } from './connecting'
import type { FlowNode } from './drawing'
import { useCell, useKeyed } from './stores'

/** Below this zoom no word of a pin can be read, so none is drawn. */
export const FAR = 0.4
const isFar = (state: { transform: readonly [number, number, number] }) => state.transform[2] < FAR

/** A block on the canvas: its inputs on the left with their literal values, its outputs on the right. */
export const BlockNode = memo(({ id, data, selected }: NodeProps<FlowNode>) => {
  const far = useStore(isFar)
  const { marks } = useBoard()
  const mark = useKeyed(marks, id)
  return (
    <div
      className={far ? 'block-node far' : 'block-node'}
      data-selected={selected}
      data-kind={data.kind}
      data-mark={mark}
    >
      <div className="block-node-head" title={data.title}>
        <span className="clip">{data.title}</span>
        {data.pinned !== null && !far && (
          <span className="pinned">{say('canvas.badge.version', { version: data.pinned })}</span>
        )}
        {mark && <Icon name="warning" />}
      </div>
      {!far && <PinRows id={id} data={data} />}
      <NodeFoot id={id} title={data.title} far={far} />
    </div>
  )
})

function PinRows({ id, data }: { id: string; data: FlowNode['data'] }) {
  const { pins, inputs, linked } = data
  return (
    <div className="block-node-pins">
      <div>
        {pins.inputs.map((pin) => (
          <PinRow key={pin.name} nodeId={id} side="in" pin={pin}>
            {!linked.has(pin.name) && inputs[pin.name] !== undefined && (
              <span className="pin-value"> {shown(pin, inputs[pin.name])}</span>
            )}
          </PinRow>
        ))}
      </div>
      <div>
        {pins.outputs.map((pin) => (
          <PinRow key={pin.name} nodeId={id} side="out" pin={pin} />
        ))}
      </div>
    </div>
  )
}

function shown(pin: Pin, value: unknown): string {
  return pin.schema.secret === true ? '••••' : inline(value, 40)
}

type RowProps = { nodeId: string; side: 'in' | 'out'; pin: Pin; children?: React.ReactNode }

/** While a link is drawn, the pins that can take it light up and the others say why they cannot. */
function PinRow({ nodeId, side, pin, children }: RowProps) {
  const origin = useCell(useBoard().origin)
  const answer = origin === null ? null : answerOf(origin, nodeId, side, pin)
  const began = origin?.nodeId === nodeId && origin.side === side && origin.pin.name === pin.name
  const types = typeWords(pin.types)
  return (
    <div
      className={side === 'out' ? 'pin out' : 'pin'}
      data-fit={began ? 'began' : answer?.fit}
      title={answer?.reason ?? `${pin.name}: ${types}`}
    >
      <Handle
        type={side === 'out' ? 'source' : 'target'}
        position={side === 'out' ? Position.Right : Position.Left}
        id={pin.name}
        data-type={pin.types.length === 1 ? pin.types[0] : 'any'}
      />
      <span className="clip">
        {pin.name}
        {pin.required && side === 'in' && <span aria-hidden="true">*</span>}
        {children || <span className="pin-type"> {types}</span>}
      </span>
    </div>
  )
}
