import {
  Background,
  type Connection,
  Controls,
  type Edge,
  ReactFlow,
  useEdgesState,
  useNodesState,
} from '@xyflow/react'
import '@xyflow/react/dist/style.css'
import { useEffect, useMemo } from 'react'
import { BlockNode, type FlowNode } from './BlockNode'
import { connect, disconnect, moveNodes, removeNodes } from './document'
import { flowEdges, flowNodes } from './flow'
import type { Block } from './pins'
import type { Editor } from './useEditor'

const NODE_TYPES = { block: BlockNode }

type Props = {
  editor: Editor
  blocks: ReadonlyMap<string, Block>
  readOnly: boolean
  selected: string | null
  onSelect: (node_id: string | null) => void
}

/** The graph as a picture. React Flow holds what moves under the hand; the document is changed when it is let go. */
export function Canvas({ editor, blocks, readOnly, selected, onSelect }: Props) {
  const { graph, change } = editor
  const [nodes, setNodes, onNodesChange] = useNodesState<FlowNode>([])
  const [edges, setEdges, onEdgesChange] = useEdgesState<Edge>([])
  const drawn = useMemo(() => flowNodes(graph, blocks), [graph, blocks])

  useEffect(() => setNodes((before) => keepSelection(before, drawn)), [drawn, setNodes])
  useEffect(() => setEdges(flowEdges(graph)), [graph, setEdges])
  // What is chosen in the panel is chosen here too; several at once can only be chosen here.
  useEffect(() => {
    if (selected !== null) setNodes((now) => now.map((node) => ({ ...node, selected: node.id === selected })))
  }, [selected, setNodes])

  function joined({ source, sourceHandle, target, targetHandle }: Connection) {
    if (!sourceHandle || !targetHandle) return
    change((now) => connect(now, { from: source, out: sourceHandle, to: target, in: targetHandle }))
  }

  function dropped(moved: readonly FlowNode[]) {
    const places = moved.map(
      ({ id, position }) => [id, [Math.round(position.x), Math.round(position.y)] as const] as const,
    )
    change((now) => moveNodes(now, new Map(places)))
  }

  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      onNodesChange={onNodesChange}
      onEdgesChange={onEdgesChange}
      onConnect={joined}
      onNodeDragStop={(_, __, moved) => dropped(moved)}
      onNodesDelete={(gone) => change((now) => removeNodes(now, new Set(gone.map((node) => node.id))))}
      onEdgesDelete={(gone) => change((now) => disconnect(now, new Set(gone.map((edge) => edge.id))))}
      onSelectionChange={({ nodes: [first, ...others] }) => {
        if (first !== undefined && others.length === 0) onSelect(first.id)
      }}
      onPaneClick={() => onSelect(null)}
      nodesDraggable={!readOnly}
      nodesConnectable={!readOnly}
      deleteKeyCode={readOnly ? null : ['Delete', 'Backspace']}
      minZoom={0.1}
      fitView
      fitViewOptions={{ maxZoom: 1, padding: 0.2 }}
      onlyRenderVisibleElements={nodes.length > 200}
      proOptions={{ hideAttribution: true }}
    >
      <Background gap={20} />
      <Controls showInteractive={false} />
    </ReactFlow>
  )
}

function keepSelection(before: readonly FlowNode[], drawn: readonly FlowNode[]): FlowNode[] {
  const known = new Map(before.map((node) => [node.id, node]))
  return drawn.map((node) => {
    const old = known.get(node.id)
    if (old === undefined) return node
    return { ...node, selected: old.selected ?? false, ...(old.measured ? { measured: old.measured } : {}) }
  })
}
