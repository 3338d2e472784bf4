import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useReducer, useState } from 'react'
import { follow } from '@/api/events'
import { emptyLog, fold, type LogView, type RunEvent } from './log'
import { runById } from './queries'

/** Follow a run's log until it ends. The whole log is read from its start, so a page opened late sees it all. */
export function useRunLog(run_id: string): { log: LogView; lost: boolean } {
  const cache = useQueryClient()
  const [log, add] = useReducer(fold, emptyLog)
  const [lost, setLost] = useState(false)

  useEffect(() => {
    const stop = follow<RunEvent>(`/api/runs/${encodeURIComponent(run_id)}/events?after=0`, {
      state: (state) => setLost(state === 'lost'),
      event: (event) => {
        add(event)
        if (event.type !== 'run.finished') return
        stop()
        setLost(false)
        void cache.invalidateQueries({ queryKey: runById(run_id).queryKey })
      },
    })
    return stop
  }, [run_id, cache])

  return { log, lost }
}
