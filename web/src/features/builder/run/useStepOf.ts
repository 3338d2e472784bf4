import { useEffect, useRef } from 'react'
import { useLog } from '@/api/live/live'
import { runLog } from '@/features/runs/log'

/** Tells once which node a step that the address names belongs to, as soon as the log has it. */
export function useStepOf(run: string | null, step: number | null, onFound: (node_id: string) => void): void {
  const wanted = step === null ? null : run
  const { state } = useLog(runLog, wanted)
  const node = step === null ? undefined : state.steps[step]?.node_id
  const latest = useRef(onFound)
  latest.current = onFound
  useEffect(() => {
    if (node !== undefined) latest.current(node)
  }, [node])
}
