import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLog } from '@/api/live/live'
import { say, sayStatus } from '@/kit/say'
import { announce } from '@/ui/announce'
import { runLog } from './log'
import { runById } from './queries'
import type { RunView } from './reducer'
import { type Standing, standingOf } from './standing'

export type LiveRun = {
  log: RunView
  status: string | null
  over: boolean
  standing: Standing
  /** The code with which the server refused the log; null when it did not. */
  refused: string | null
  /** Ask for the log again after a refusal. */
  again: () => void
}

/** A run as its log tells it, which is ahead of any row that was fetched. */
export function useLiveRun(run_id: string | null): LiveRun {
  const cache = useQueryClient()
  const { state, phase, refused, again } = useLog(runLog, run_id)
  const over = phase === 'ended'

  const wasGoing = useRef(false)

  useEffect(() => {
    if (!over) wasGoing.current = phase === 'live'
    if (!over || !wasGoing.current || run_id === null) return
    announce(say('runs.ended', { status: sayStatus(state.status ?? '') }))
    void cache.invalidateQueries({ queryKey: runById(run_id).queryKey })
  }, [over, phase, state.status, cache, run_id])

  const standing = standingOf(state, phase, refused)
  return { log: state, status: state.status, over, standing, refused, again }
}

export function useRun(run_id: string) {
  return { run: useQuery(runById(run_id)), live: useLiveRun(run_id) }
}
