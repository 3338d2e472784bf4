import {
  Background,
  type Edge,
  ReactFlow,
  useEdgesState,
  useNodesState,
  useReactFlow,
  useStoreApi,
} from '@xyflow/react'
import '@xyflow/react/dist/style.css'
import './canvas.css'
import { useEffect, useMemo, useRef, useState } from 'react'
import { say } from '@/kit/say'
import { useStable } from '@/kit/useStable'
import { linksOf } from '../document'
import type { Faces } from '../faces'
import type { Editor } from '../useEditor'
import { BlockNode } from './BlockNode'
import { useBoard } from './board'
import { CanvasTools } from './CanvasTools'
import type { Origin } from './connecting'
import { Drawing, type FlowNode } from './drawing'
import { FarPicture } from './FarPicture'
import { MiniMap } from './MiniMap'
import { NoteNode } from './NoteNode'
import { choosing, chosen, edgesWithSelection, withSelection } from './selection'
import { spokenFor } from './spoken'
import { useArranging } from './useArranging'
import { useHands } from './useHands'
import { useMoving } from './useMoving'
import { useSeen } from './useSeen'
import { fitAll, nodeAt } from './view'

// What React Flow is given stays the same object while it says the same, else it draws every block again.
const NODE_TYPES = { block: BlockNode, note: NoteNode }
const GRID: [number, number] = [20, 20]
const DELETE = ['Delete', 'Backspace']
const SEVERAL = ['Meta', 'Control', 'Shift']
const SPOKEN = { fixed: spokenFor(true), free: spokenFor(false) }
const PRO = { hideAttribution: true }

type Props = {
  editor: Editor
  faces: Faces
  readOnly: boolean
  selected: string | null
  onSelect: (node_id: string | null, field?: string, link?: string) => void
  /** A link was dropped where nothing is: a block may be put there. */
  onDropped: (origin: Origin, at: { x: number; y: number }) => void
  onFind: () => void
}

/** The graph as a picture. React Flow holds what moves under the hand; the document is changed when it is let go. */
export function Canvas({ editor, faces, readOnly, selected, onSelect, onDropped, onFind }: Props) {
  const { graph } = editor
  const board = useBoard()
  const flow = useReactFlow()
  useKnownSizes()
  const [locked, setLocked] = useState(false)
  const [snaps, setSnaps] = useState(true)
  const [nodes, setNodes, showChanges] = useNodesState<FlowNode>([])
  const [edges, setEdges, onEdgesChange] = useEdgesState<Edge>([])
  const [drawing] = useState(() => new Drawing())
  const drawnNodes = useMemo(() => drawing.nodesFor(graph, faces), [drawing, graph, faces])
  const drawnEdges = useMemo(() => drawing.edgesFor(graph, faces), [drawing, graph, faces])
  const refit = useRef(false)
  const arranging = useArranging(editor, faces, refit)
  const hands = useHands(editor, faces, onDropped, onSelect)
  const onNodesChange = useMoving(editor, showChanges)
  const fixed = readOnly || locked
  const frame = useRef<HTMLDivElement>(null)
  const seen = useSeen(nodes, edges)
  board.nodes = nodes
  board.choose = (ids) => setNodes((now) => choosing(now, ids))
  const showAll = () => fitAll(flow, drawnNodes, frame.current)

  useEffect(() => setNodes((before) => withSelection(before, drawnNodes)), [drawnNodes, setNodes])
  useEffect(() => setEdges((before) => edgesWithSelection(before, drawnEdges)), [drawnEdges, setEdges])
  useEffect(() => {
    if (refit.current) fitAll(flow, drawnNodes, frame.current)
    refit.current = false
  }, [drawnNodes, flow])
  // What is chosen in the panel is chosen here too; several at once can only be chosen here.
  useEffect(() => {
    setNodes((now) => {
      const isSeveral = now.filter((node) => node.selected).length > 1
      return selected === null && isSeveral ? now : now.map((node) => chosen(node, node.id === selected))
    })
  }, [selected, setNodes])

  const selectionChanged = useStable(({ nodes: [first, ...others] }: { nodes: FlowNode[] }) => {
    if (first !== undefined && others.length === 0) onSelect(first.id)
  })
  const paneClicked = useStable((event: { clientX: number; clientY: number }) => {
    const point = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY })
    onSelect((seen.isMany && nodeAt(nodes, point)?.id) || null)
  })
  const began = useStable(() => {
    showAll()
    seen.placed()
  })

  return (
    <ReactFlow
      ref={frame}
      nodes={seen.nodes}
      edges={seen.edges}
      nodeTypes={NODE_TYPES}
      onNodesChange={onNodesChange}
      onEdgesChange={onEdgesChange}
      {...hands}
      onSelectionChange={selectionChanged}
      onPaneClick={paneClicked}
      nodesDraggable={!fixed}
      nodesConnectable={!fixed}
      deleteKeyCode={fixed ? null : DELETE}
      multiSelectionKeyCode={SEVERAL}
      snapToGrid={snaps}
      snapGrid={GRID}
      minZoom={0.05}
      elevateEdgesOnSelect
      ariaLabelConfig={fixed ? SPOKEN.fixed : SPOKEN.free}
      onInit={began}
      proOptions={PRO}
      aria-label={say('canvas.label')}
    >
      <Background gap={20} />
      <CanvasTools
        locked={locked}
        snaps={snaps}
        readOnly={readOnly}
        isArranging={arranging.isBusy}
        onLock={() => setLocked(!locked)}
        onSnap={() => setSnaps(!snaps)}
        onArrange={() => void arranging.arrange()}
        onFind={onFind}
        onFit={showAll}
      />
      {seen.isMany && <FarPicture nodes={nodes} links={linksOf(graph)} shown={seen.shown} />}
      {nodes.length > 3 && <MiniMap nodes={nodes} />}
    </ReactFlow>
  )
}

/** Sizes and handles follow from the pins: measuring a thousand nodes would cost seconds, and find far ones without handles. */
function useKnownSizes(): void {
  const store = useStoreApi()
  useState(() => store.setState({ updateNodeInternals: () => undefined }))
}
