import {
  Background,
  type Connection,
  type Edge,
  type FinalConnectionState,
  ReactFlow,
  useEdgesState,
  useNodesState,
  useReactFlow,
  useStoreApi,
} from '@xyflow/react'
import '@xyflow/react/dist/style.css'
import './canvas.css'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { say } from '@/kit/say'
import { toast } from '@/ui/toasts'
import { type Link, linkKey, linksOf, nodeById } from '../document'
import type { Faces } from '../faces'
import type { Operation } from '../operations'
import { pinsOf } from '../pins'
import type { Editor } from '../useEditor'
import { BlockNode } from './BlockNode'
import { useBoard } from './board'
import { CanvasTools } from './CanvasTools'
import { linkBetween, type Origin } from './connecting'
import { Drawing, type FlowNode } from './drawing'
import { FarPicture } from './FarPicture'
import { MiniMap } from './MiniMap'
import { NoteNode } from './NoteNode'
import { useArranging } from './useArranging'
import { useSeen } from './useSeen'
import { fitAll, nodeAt } from './view'

const NODE_TYPES = { block: BlockNode, note: NoteNode }
const GRID: [number, number] = [20, 20]

type Props = {
  editor: Editor
  faces: Faces
  readOnly: boolean
  selected: string | null
  onSelect: (node_id: string | null) => void
  /** A link was dropped where nothing is: a block may be put there. */
  onDropped: (origin: Origin, at: { x: number; y: number }) => void
  onFind: () => void
}

/** The graph as a picture. React Flow holds what moves under the hand; the document is changed when it is let go. */
export function Canvas({ editor, faces, readOnly, selected, onSelect, onDropped, onFind }: Props) {
  const { graph, apply } = editor
  const board = useBoard()
  const flow = useReactFlow()
  useKnownSizes()
  const [locked, setLocked] = useState(false)
  const [snaps, setSnaps] = useState(true)
  const [nodes, setNodes, onNodesChange] = useNodesState<FlowNode>([])
  const [edges, setEdges, onEdgesChange] = useEdgesState<Edge>([])
  const [drawing] = useState(() => new Drawing())
  const drawnNodes = useMemo(() => drawing.nodesFor(graph, faces), [drawing, graph, faces])
  const drawnEdges = useMemo(() => drawing.edgesFor(graph, faces), [drawing, graph, faces])
  const refit = useRef(false)
  const arranging = useArranging(editor, faces, refit)
  const fixed = readOnly || locked
  const frame = useRef<HTMLDivElement>(null)
  const seen = useSeen(nodes, edges)
  board.nodes = nodes
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

  // React Flow tells it again to every new listener, so there is only one.
  const select = useRef(onSelect)
  select.current = onSelect
  const selectionChanged = useCallback(({ nodes: [first, ...others] }: { nodes: FlowNode[] }) => {
    if (first !== undefined && others.length === 0) select.current(first.id)
  }, [])

  function joined(connection: Connection) {
    const link = linkOf(connection)
    if (link === null) return
    const answer = linkBetween(graph, faces, link)
    if ('refused' in answer) toast(answer.refused)
    else apply([{ op: 'connect', ...link }])
  }

  function began(nodeId: string | null, pin: string | null, type: string | null) {
    const node = nodeById(graph, nodeId)
    if (node === undefined || pin === null) return
    const side = type === 'target' ? 'in' : 'out'
    const pins = pinsOf(graph, node, faces(node))[side === 'in' ? 'inputs' : 'outputs']
    const found = pins.find((one) => one.name === pin)
    if (found !== undefined) board.origin.set({ nodeId: node.id, side, pin: found })
  }

  function ended(event: MouseEvent | TouchEvent, state: FinalConnectionState) {
    const origin = board.origin.get()
    board.origin.set(null)
    if (origin === null || state.isValid) return
    if (state.toHandle && state.fromHandle) {
      const [from, to] =
        state.fromHandle.type === 'source'
          ? [state.fromHandle, state.toHandle]
          : [state.toHandle, state.fromHandle]
      if (from.type === to.type) return void toast(say('canvas.no.two_inputs'))
      const link = { from: from.nodeId, out: from.id ?? '', to: to.nodeId, in: to.id ?? '' }
      const answer = linkBetween(graph, faces, link)
      if ('refused' in answer) toast(answer.refused)
    } else if (state.toNode === null) {
      const point = 'changedTouches' in event ? event.changedTouches[0] : event
      if (point) onDropped(origin, flow.screenToFlowPosition({ x: point.clientX, y: point.clientY }))
    }
  }

  function dropped(moved: readonly FlowNode[]) {
    apply(
      moved.map(({ id, position }) => ({
        op: 'move_node',
        node: id,
        position: [Math.round(position.x), Math.round(position.y)],
      })),
    )
  }

  function removed(gone: readonly FlowNode[], cut: readonly Edge[]) {
    const dead = new Set(gone.map((node) => node.id))
    const links = new Map(linksOf(graph).map((link) => [linkKey(link), link]))
    const operations: Operation[] = cut
      .filter((edge) => !dead.has(edge.source) && !dead.has(edge.target))
      .flatMap((edge) => {
        const link = links.get(edge.id)
        return link ? [{ op: 'disconnect', from: link.from, out: link.out, to: link.to, in: link.in }] : []
      })
    apply([...operations, ...[...dead].map((node): Operation => ({ op: 'remove_node', node }))])
  }

  return (
    <ReactFlow
      ref={frame}
      nodes={seen.nodes}
      edges={seen.edges}
      nodeTypes={NODE_TYPES}
      onNodesChange={onNodesChange}
      onEdgesChange={onEdgesChange}
      onConnect={joined}
      onConnectStart={(_, { nodeId, handleId, handleType }) => began(nodeId, handleId, handleType)}
      onConnectEnd={ended}
      isValidConnection={(connection) => {
        const link = linkOf(connection)
        return link !== null && 'link' in linkBetween(graph, faces, link)
      }}
      onNodeDragStop={(_, __, moved) => dropped(moved)}
      onDelete={({ nodes: gone, edges: cut }) => removed(gone, cut)}
      onSelectionChange={selectionChanged}
      onPaneClick={(event) => {
        const point = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY })
        onSelect((seen.isPainted && nodeAt(nodes, point)?.id) || null)
      }}
      nodesDraggable={!fixed}
      nodesConnectable={!fixed}
      deleteKeyCode={fixed ? null : ['Delete', 'Backspace']}
      multiSelectionKeyCode={['Meta', 'Control', 'Shift']}
      snapToGrid={snaps}
      snapGrid={GRID}
      minZoom={0.05}
      onInit={() => {
        showAll()
        seen.placed()
      }}
      onlyRenderVisibleElements={seen.isMany}
      proOptions={{ hideAttribution: true }}
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
      {seen.isPainted && <FarPicture nodes={nodes} links={linksOf(graph)} />}
      {nodes.length > 3 && <MiniMap />}
    </ReactFlow>
  )
}

/** Sizes and handles follow from the pins: measuring a thousand nodes would cost seconds, and find far ones without handles. */
function useKnownSizes(): void {
  const store = useStoreApi()
  useState(() => store.setState({ updateNodeInternals: () => undefined }))
}

function linkOf({ source, sourceHandle, target, targetHandle }: Connection | Edge): Link | null {
  if (!sourceHandle || !targetHandle) return null
  return { from: source, out: sourceHandle, to: target, in: targetHandle }
}

function chosen(node: FlowNode, is: boolean): FlowNode {
  return (node.selected ?? false) === is ? node : { ...node, selected: is }
}

/** What the document says, with what was chosen kept; a node that says the same stays the same object. */
function withSelection(before: readonly FlowNode[], drawn: readonly FlowNode[]): FlowNode[] {
  const known = new Map(before.map((node) => [node.id, node]))
  return drawn.map((node) => {
    const old = known.get(node.id)
    if (old === undefined || !old.selected)
      return old?.data === node.data && samePlace(old, node) ? old : node
    return old.data === node.data && samePlace(old, node) ? old : { ...node, selected: true }
  })
}

function samePlace(a: FlowNode, b: FlowNode): boolean {
  return a.position.x === b.position.x && a.position.y === b.position.y
}

function edgesWithSelection(before: readonly Edge[], drawn: readonly Edge[]): Edge[] {
  const chosenBefore = new Set(before.filter((edge) => edge.selected).map((edge) => edge.id))
  return chosenBefore.size === 0
    ? [...drawn]
    : drawn.map((edge) => (chosenBefore.has(edge.id) ? { ...edge, selected: true } : edge))
}
