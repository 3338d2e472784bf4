import { type Connection, type Edge, type FinalConnectionState, useReactFlow } from '@xyflow/react'
import { say } from '@/kit/say'
import { useStable } from '@/kit/useStable'
import { toast } from '@/ui/toasts'
import { type Link, linkKey, linksOf, nodeById } from '../document'
import type { Faces } from '../faces'
import type { Operation } from '../operations'
import { wantsKey } from '../parts'
import { declaredPins, pinsOf } from '../pins'
import type { Editor } from '../useEditor'
import { useBoard } from './board'
import { linkBetween, type Origin } from './connecting'
import type { FlowNode } from './drawing'

type Drop = (origin: Origin, at: { x: number; y: number }) => void
type Select = (node_id: string, field: string, link: string) => void
type Start = { nodeId: string | null; handleId: string | null; handleType: string | null }

/**
 * What a hand does to blocks and links, as operations on the document. The functions stay the same from one drawing to
 * the next: React Flow would ask every block anew for each one that is another.
 */
export function useHands({ graph, apply }: Editor, faces: Faces, onDropped: Drop, onSelect: Select) {
  const board = useBoard()
  const flow = useReactFlow()
  const select = useStable(onSelect) // a toast may be pressed long after it was made

  function tried(link: Link): boolean {
    const answer = linkBetween(graph, faces, link)
    if ('refused' in answer) toast(answer.refused)
    return 'link' in answer
  }

  const onConnect = useStable((connection: Connection) => {
    const link = linkOf(connection)
    if (link === null || !tried(link)) return
    apply([{ op: 'connect', ...link }])
    if (meansKey(link)) {
      const act = () => select(link.to, link.in, linkKey(link))
      toast(say('parts.offer', { pin: link.in }), {
        action: { label: say('parts.choose'), act },
      })
    }
  })

  function meansKey(link: Link): boolean {
    const [from, to] = [nodeById(graph, link.from), nodeById(graph, link.to)]
    const out = from && pinsOf(graph, from, faces(from)).outputs.find((pin) => pin.name === link.out)
    const sink = to && declaredPins(faces(to)).inputs.find((pin) => pin.name === link.in)
    return sink !== undefined && wantsKey(out, sink, link)
  }

  const isValidConnection = useStable((connection: Connection | Edge) => {
    const link = linkOf(connection)
    return link !== null && 'link' in linkBetween(graph, faces, link)
  })

  const onConnectStart = useStable((_: unknown, { nodeId, handleId, handleType }: Start) => {
    const node = nodeById(graph, nodeId)
    if (node === undefined || handleId === null) return
    const side = handleType === 'target' ? 'in' : 'out'
    const pins = pinsOf(graph, node, faces(node))[side === 'in' ? 'inputs' : 'outputs']
    const found = pins.find((one) => one.name === handleId)
    if (found !== undefined) board.origin.set({ nodeId: node.id, side, pin: found })
  })

  const onConnectEnd = useStable((event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
    const origin = board.origin.get()
    board.origin.set(null)
    if (origin === null || state.isValid) return
    if (state.toHandle && state.fromHandle) {
      const [from, to] =
        state.fromHandle.type === 'source'
          ? [state.fromHandle, state.toHandle]
          : [state.toHandle, state.fromHandle]
      if (from.type === to.type) {
        return void toast(say(from.type === 'source' ? 'canvas.no.two_outputs' : 'canvas.no.two_inputs'))
      }
      tried({ from: from.nodeId, out: from.id ?? '', to: to.nodeId, in: to.id ?? '' })
    } else if (state.toNode === null) {
      const point = 'changedTouches' in event ? event.changedTouches[0] : event
      if (point) onDropped(origin, flow.screenToFlowPosition({ x: point.clientX, y: point.clientY }))
    }
  })

  const onDelete = useStable(({ nodes, edges }: { nodes: readonly FlowNode[]; edges: readonly Edge[] }) => {
    const dead = new Set(nodes.map((node) => node.id))
    const links = new Map(linksOf(graph).map((link) => [linkKey(link), link]))
    const operations: Operation[] = edges
      .filter((edge) => !dead.has(edge.source) && !dead.has(edge.target))
      .flatMap((edge) => {
        const link = links.get(edge.id)
        return link ? [{ op: 'disconnect', from: link.from, out: link.out, to: link.to, in: link.in }] : []
      })
    apply([...operations, ...[...dead].map((node): Operation => ({ op: 'remove_node', node }))])
  })

  return { onConnect, isValidConnection, onConnectStart, onConnectEnd, onDelete }
}

function linkOf({ source, sourceHandle, target, targetHandle }: Connection | Edge): Link | null {
  if (!sourceHandle || !targetHandle) return null
  return { from: source, out: sourceHandle, to: target, in: targetHandle }
}
