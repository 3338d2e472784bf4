import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
} from 'react'
import { useLiveRun } from '@/features/runs/useRun'
import { LiveNodes, type NodeView } from './nodes'

const Nodes = createContext<LiveNodes | null>(null)

/** Gives the nodes below it a run to follow. Only the feed hears every event; a node hears its own. */
export function FollowedRun({ runId, children }: { runId: string | null; children: ReactNode }) {
  const [nodes] = useState(() => new LiveNodes())
  return (
    <Nodes value={nodes}>
      {runId === null ? (
        <Feed key="none" nodes={nodes} />
      ) : (
        <RunFeed key={runId} runId={runId} nodes={nodes} />
      )}
      {children}
    </Nodes>
  )
}

function Feed({ nodes }: { nodes: LiveNodes }) {
  useLayoutEffect(() => nodes.show(null), [nodes])
  return null
}

function RunFeed({ runId, nodes }: { runId: string; nodes: LiveNodes }) {
  const { steps } = useLiveRun(runId).log
  useLayoutEffect(() => nodes.show(steps), [nodes, steps])
  return null
}

/** All nodes of the followed run, for who shows them together. */
export function useLiveNodes(): LiveNodes | null {
  return useContext(Nodes)
}

const nothing = () => () => undefined

/** What the followed run has done with a node; null without a run. */
export function useLiveNode(node_id: string): NodeView | null {
  const nodes = useContext(Nodes)
  const look = useCallback(
    (changed: () => void) => (nodes === null ? nothing() : nodes.look(node_id, changed)),
    [nodes, node_id],
  )
  return useSyncExternalStore(look, () => nodes?.read(node_id) ?? null)
}
