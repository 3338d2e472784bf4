import {
  Background,
  Controls,
  type Edge,
  type Node as FlowNodeOf,
  Handle,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
} from '@xyflow/react'
import '@xyflow/react/dist/style.css'
import { memo, useMemo } from 'react'
import { type MessageKey, say } from '@/kit/say'
import { placed } from '../boxes'
import { type Graph, linkKey } from '../document'
import type { Block } from '../pins'
import '../builder.css'
import '../canvas/canvas.css'
import { spokenFor } from '../canvas/spoken'
import { type Mark, type Marked, marked } from './difference'
import './versions.css'

type Data = { title: string; mark: Mark; changed: readonly string[] }
type DiffNode = FlowNodeOf<Data, 'diff'>

const WORDS: Readonly<Record<Mark, MessageKey>> = {
  added: 'versions.added',
  removed: 'versions.removed',
  changed: 'versions.changed',
  same: 'versions.same',
}

/** A block of either version; its mark is a word, and the colour repeats it. */
const DiffBlock = memo(({ data: { title, mark, changed } }: NodeProps<DiffNode>) => (
  <div className="diff-node" data-mark={mark}>
    <Handle type="target" position={Position.Left} isConnectable={false} />
    <strong className="clip" title={title}>
      {title}
    </strong>
    {mark !== 'same' && (
      <span className="clip" title={changed.join(', ')}>
        {say(WORDS[mark])} <span className="quiet">{changed.join(', ')}</span>
      </span>
    )}
    <Handle type="source" position={Position.Right} isConnectable={false} />
  </div>
))

const NODE_TYPES = { diff: DiffBlock }
const SPOKEN = spokenFor(true)

type Props = { before: Graph; after: Graph; blocks: ReadonlyMap<string, Block> }

/** Two versions as one picture: what came is green, what went is red and dashed, what changed is amber. */
export default function DiffCanvas({ before, after, blocks }: Props) {
  const { nodes, edges } = useMemo(() => drawn(marked(before, after), blocks), [before, after, blocks])
  return (
    <section className="diff-canvas builder-canvas" aria-label={say('versions.picture')}>
      <ReactFlowProvider>
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          minZoom={0.05}
          ariaLabelConfig={SPOKEN}
          fitView
          fitViewOptions={{ maxZoom: 1, padding: 0.15 }}
          onlyRenderVisibleElements={nodes.length > 200}
          proOptions={{ hideAttribution: true }}
        >
          <Background gap={20} />
          <Controls showInteractive={false} />
        </ReactFlow>
      </ReactFlowProvider>
    </section>
  )
}

function drawn(all: Marked, blocks: ReadonlyMap<string, Block>): { nodes: DiffNode[]; edges: Edge[] } {
  const union = { nodes: all.nodes.map(({ node }) => node), links: all.links.map(({ link }) => link) }
  const places = new Map(
    placed(union, (node) => blocks.get(node.block)).nodes?.map((node) => [node.id, node.position ?? []]),
  )
  return {
    nodes: all.nodes.map(({ node, mark, changed }) => {
      const [x = 0, y = 0] = places.get(node.id) ?? []
      const title = node.name || blocks.get(node.block)?.name || node.id
      return { id: node.id, type: 'diff', position: { x, y }, data: { title, mark, changed } }
    }),
    edges: all.links.map(({ link, mark }) => ({
      id: linkKey(link),
      source: link.from,
      target: link.to,
      className: `diff-edge ${mark}`,
    })),
  }
}
