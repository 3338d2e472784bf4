import { useStoreApi } from '@xyflow/react'
import { useEffect, useRef, useState } from 'react'
import type { FlowNode } from './drawing'
import { nextNear, type Pace, type Sight } from './nearness'

const NONE: ReadonlySet<string> = new Set()
const REST = 120 // milliseconds without a move

/** Of many blocks those that are elements now, made a few in each frame so that no frame is felt. */
export function useNear(nodes: readonly FlowNode[], isOn: boolean): ReadonlySet<string> {
  const store = useStoreApi()
  const [near, setNear] = useState(NONE)
  const latest = useRef({ near, nodes })
  latest.current.nodes = nodes

  useEffect(() => {
    if (!isOn) return
    let waiting = 0
    let [movedAt, zoomedAt] = [performance.now(), Number.NEGATIVE_INFINITY]
    const pace = (): Pace => {
      const now = performance.now()
      return now - zoomedAt < REST ? 'zooming' : now - movedAt < REST ? 'panning' : 'resting'
    }
    const become = (next: ReadonlySet<string>) => {
      latest.current.near = next
      setNear(next)
    }
    const step = () => {
      waiting = 0
      const going = pace()
      const { near, nodes } = latest.current
      const next = nextNear(near, nodes, sightOf(store.getState()), going)
      if (next !== near) become(next)
      if (next !== near || going !== 'resting') soon()
    }
    const soon = () => {
      if (waiting === 0) waiting = requestAnimationFrame(step)
    }
    const stop = store.subscribe((now, before) => {
      if (now.transform !== before.transform || now.width !== before.width || now.height !== before.height) {
        movedAt = performance.now()
        if (now.transform[2] !== before.transform[2]) zoomedAt = movedAt
        soon()
      }
    })
    soon()
    return () => {
      stop()
      cancelAnimationFrame(waiting)
      become(NONE)
    }
  }, [store, isOn])

  // A block that was added or moved may have come into sight.
  useEffect(() => {
    if (!isOn) return
    const next = nextNear(latest.current.near, nodes, sightOf(store.getState()), 'resting')
    if (next === latest.current.near) return
    latest.current.near = next
    setNear(next)
  }, [store, isOn, nodes])

  return near
}

type Stored = { transform: readonly [number, number, number]; width: number; height: number }

function sightOf({ transform: [x, y, zoom], width, height }: Stored): Sight {
  return { left: -x / zoom, top: -y / zoom, right: (width - x) / zoom, bottom: (height - y) / zoom, zoom }
}
