import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useContext, useEffect, useRef } from 'react'
import { useLog } from '@/api/live/live'
import { say } from '@/kit/say'
import { announce } from '@/ui/announce'
import { Button } from '@/ui/Button'
import { ScrollFrame } from '@/ui/ScrollFrame'
import { AbsentPage, ErrorPanel, Skeleton } from '@/ui/States'
import { toastProblem } from '@/ui/toasts'
import { WritesOff } from '@/ui/writes'
import { Chips } from './Chips'
import { Composer, type Writing } from './Composer'
import { DryRunLine } from './Lines'
import { sessionLog } from './log'
import { settle, useOutbox } from './outbox'
import { PilotLabel } from './PilotLabel'
import { Progress } from './Progress'
import { pendingLists, pendingOf, sessionList, useMarkSeen, useRetryTurn, useStopTurn } from './queries'
import { Suggestions } from './Suggestions'
import { Thread } from './Thread'
import { useAnsweringModel } from './useAnsweringModel'
import { useFollowBottom } from './useFollowBottom'
import { useSend } from './useSend'
import { activeTurn, type ChatView, hasArrived, isLogged, lastModel } from './view'

/** One session, live. */
export function Chat({ sessionId, name }: { sessionId: string; name: string }) {
  const { state: view, phase, refused, again } = useLog(sessionLog, sessionId)
  const send = useSend(sessionId)
  const stop = useStopTurn(sessionId)
  const retry = useRetryTurn(sessionId)
  const writing = useRef<Writing>(null)
  const frame = useRef<HTMLElement>(null)
  const { behind, toBottom } = useFollowBottom(frame, view.last)
  const turn = activeTurn(view)
  const firstModel = useAnsweringModel()
  const dryRun = useQuery(sessionList).data?.sessions.find((one) => one.id === sessionId)?.metadata.dry_run
  const { chips, leaving } = useWaiting(sessionId)
  useTurnNews(view, turn?.turn_id ?? null)
  useSeen(sessionId, phase === 'live' && turn === null ? view.last : 0)
  if (refused === 'not_found') return <AbsentPage />

  function post(text: string) {
    toBottom()
    return send(text)
  }

  /** For what is clicked: no box has the text that a refusal could go back to. */
  function pick(text: string) {
    post(text).catch(toastProblem)
  }

  return (
    <div className="chat">
      <ScrollFrame className="thread-frame" ref={frame} aria-label={say('chat.conversation')}>
        <div className="thread">
          {dryRun && <DryRunLine />}
          {phase === 'loading' && view.last === 0 && refused === null && <ThreadSkeleton />}
          {refused !== null && (
            <ErrorPanel problem={{ code: refused, message: say('chat.unreadable') }} onRetry={again} />
          )}
          <Thread
            view={view}
            onSend={pick}
            onRetry={() => retry.mutate()}
            onEdit={(text) => writing.current?.putBefore(text)}
          />
          {leaving.map((message) => (
            <div key={message.message_id} className="bubble-row leaving">
              <div className="bubble">{message.text}</div>
            </div>
          ))}
          {turn && <Progress view={view} turn={turn} />}
          {phase === 'live' && view.items.length + leaving.length + chips.length === 0 && turn === null && (
            <Suggestions name={name} onPick={pick} />
          )}
        </div>
      </ScrollFrame>
      <div className="chat-foot">
        {behind && (
          <Button className="new-messages" look="plain" icon="down" onClick={toBottom}>
            {say('chat.newMessages')}
          </Button>
        )}
        <Chips sessionId={sessionId} waiting={chips} />
        <Composer
          ref={writing}
          sessionId={sessionId}
          busy={turn !== null}
          stopping={
            turn !== null &&
            (stop.isPending || stop.data?.cancelled === true) &&
            stop.variables === turn.turn_id
          }
          pilot={<PilotLabel model={lastModel(view) ?? firstModel} />}
          onSend={post}
          onStop={() => turn && stop.mutate(turn.turn_id)}
        />
      </div>
    </div>
  )
}

/** What the log does not have yet: chips for what waits, bubbles for what is on its way. */
function useWaiting(sessionId: string) {
  const { state: view } = useLog(sessionLog, sessionId)
  const pending = useQuery(pendingOf(sessionId))
  const outbox = useOutbox().filter((message) => message.session_id === sessionId)
  const listed = pending.data?.messages

  useEffect(() => settle((id) => hasArrived(id, view, listed)), [view, listed])

  const asked = listed ?? []
  const known = new Set(asked.map((message) => message.message_id))
  const queued = outbox.filter((message) => message.queued && !known.has(message.message_id))
  return {
    chips: [...asked, ...queued].filter((message) => !isLogged(view, message.message_id)),
    leaving: outbox.filter((message) => !message.queued && !isLogged(view, message.message_id)),
  }
}

const ENDS: { [status: string]: string } = {
  completed: say('chat.answerComplete'),
  failed: say('chat.answerFailed'),
  cancelled: say('chat.stopped'),
}

/** Tell of a turn's end, and look at the lists again that it may have changed. */
function useTurnNews(view: ChatView, turn: string | null) {
  const cache = useQueryClient()
  const before = useRef<string | null>(null)
  const ended = before.current !== null && turn === null ? view.turns[before.current]?.status : undefined
  useEffect(() => {
    if (ended !== undefined) announce(ENDS[ended] ?? say('chat.answerComplete'))
    if (before.current !== turn) {
      void cache.invalidateQueries({ queryKey: sessionList.queryKey })
      void cache.invalidateQueries({ queryKey: pendingLists })
    }
    before.current = turn
  }, [turn, ended, cache])
}

/** Looking at the end of a session is having seen it. */
function useSeen(sessionId: string, last: number) {
  const { mutate } = useMarkSeen(sessionId)
  const off = useContext(WritesOff) !== null
  useEffect(() => {
    if (last === 0 || off) return
    const look = () => document.visibilityState === 'visible' && mutate(last)
    look()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [last, mutate, off])
}

function ThreadSkeleton() {
  return (
    <div className="stack" role="status" aria-label={say('common.loading')}>
      <Skeleton width="40%" />
      <Skeleton width="85%" />
      <Skeleton width="70%" />
    </div>
  )
}
