import { type Node as FlowNodeOf, Handle, type NodeProps, Position } from '@xyflow/react'
import { memo } from 'react'
import { inline } from '@/kit/json'
import type { Pins } from './pins'
import { NodeFoot } from './run/NodeFoot'

export type NodeData = {
  title: string
  kind: string
  pins: Pins
  inputs: { readonly [pin: string]: unknown }
  linked: ReadonlySet<string>
}

export type FlowNode = FlowNodeOf<NodeData, 'block'>

/** A block on the canvas: its inputs on the left with their literal values, its outputs on the right. */
export const BlockNode = memo(({ id, data, selected }: NodeProps<FlowNode>) => {
  const { title, kind, pins, inputs, linked } = data
  return (
    <div className="block-node" data-selected={selected} data-kind={kind}>
      <div className="block-node-head">
        <span className="clip">{title}</span>
      </div>
      <div className="block-node-pins">
        <div>
          {pins.inputs.map((pin) => (
            <div key={pin} className="pin">
              <Handle type="target" position={Position.Left} id={pin} />
              <span className="clip">
                {pin}
                {!linked.has(pin) && inputs[pin] !== undefined && (
                  <span className="quiet"> {inline(inputs[pin], 40)}</span>
                )}
              </span>
            </div>
          ))}
        </div>
        <div>
          {pins.outputs.map((pin) => (
            <div key={pin} className="pin out">
              <span className="clip">{pin}</span>
              <Handle type="source" position={Position.Right} id={pin} />
            </div>
          ))}
        </div>
      </div>
      <NodeFoot id={id} title={title} />
    </div>
  )
})
