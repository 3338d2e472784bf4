import { createContext, use } from 'react'
import type { Origin } from './connecting'
import type { FlowNode } from './drawing'
import { Cell, KeyedStore } from './stores'

export type Mark = 'error' | 'warning'

/** What changes on nodes without the graph changing; each node hears of its own only. */
export class Board {
  readonly marks = new KeyedStore<Mark>()
  /** Where the link that is being drawn began. */
  readonly origin = new Cell<Origin | null>(null)
  /** The nodes as they are drawn now, with what is chosen of them. */
  nodes: readonly FlowNode[] = []
  /** Choose exactly these; the canvas knows how, since it holds more nodes than React Flow is given. */
  choose: (ids: ReadonlySet<string>) => void = () => undefined
}

export const BoardContext = createContext(new Board())

export function useBoard(): Board {
  return use(BoardContext)
}
