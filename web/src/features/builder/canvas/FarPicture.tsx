import { useStoreApi } from '@xyflow/react'
import { useEffect, useMemo, useRef } from 'react'
import type { Link } from '../document'
import { useLiveNodes } from '../run/live'
import { useBoard } from './board'
import type { FlowNode } from './drawing'
import { paintAll, paintSome, type Scene, wiresOf } from './picture'

type Props = {
  nodes: readonly FlowNode[]
  links: readonly Link[]
  /** The blocks, and the links by their keys, that elements stand for. */
  shown: { nodes: ReadonlySet<string>; isLinkShown: (link: Link) => boolean }
}

/** Of many blocks, those that are far away or not yet made: one painted picture instead of thousands of elements. */
export function FarPicture({ nodes, links, shown }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const board = useBoard()
  const live = useLiveNodes()
  const wires = useMemo(() => wiresOf(nodes, links), [nodes, links])
  const scene = useMemo((): Scene => {
    const painted = links.map((link) => !shown.isLinkShown(link))
    return {
      nodes: new Map(nodes.filter(({ id }) => !shown.nodes.has(id)).map((node) => [node.id, node])),
      wires,
      isWirePainted: (index) => painted[index] ?? false,
      board,
      live,
    }
  }, [nodes, links, wires, shown, board, live])
  usePainting(canvas, scene)
  return <canvas ref={canvas} className="far-picture" />
}

/** Paints once a frame at most: all when the view moved, else the blocks that a run touched. */
function usePainting(canvas: { readonly current: HTMLCanvasElement | null }, scene: Scene): void {
  const store = useStoreApi()
  useEffect(() => {
    let waiting = 0
    let touched: Set<string> | 'all' = new Set()
    const paint = () => {
      const what = touched
      waiting = 0
      touched = new Set()
      if (canvas.current === null) return
      if (what === 'all') paintAll(canvas.current, scene, store.getState())
      else paintSome(canvas.current, scene, store.getState(), what)
    }
    const soon = (ids: Iterable<string> | 'all') => {
      if (ids === 'all') touched = 'all'
      else if (touched !== 'all') for (const id of ids) touched.add(id)
      if (waiting === 0) waiting = requestAnimationFrame(paint)
    }
    const stops = [
      store.subscribe((now, before) => {
        if (now.transform !== before.transform || now.width !== before.width || now.height !== before.height)
          soon('all')
      }),
      scene.live?.lookAll(soon) ?? (() => undefined),
      scene.board.marks.watchAll(() => soon('all')),
    ]
    touched = 'all'
    paint()
    return () => {
      for (const stop of stops) stop()
      cancelAnimationFrame(waiting)
    }
  }, [canvas, scene, store])
}
