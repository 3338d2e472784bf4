import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap, unwrapped } from '@/api/client'
import type { Schemas } from '@/api/shapes'
import { toastProblem } from '@/ui/toasts'
import { settle } from './outbox'

const all = ['chat'] as const

type Row = Schemas['SessionList']['sessions'][number]
export type Session = Pick<Row, 'id' | 'title' | 'pinned' | 'updated_at' | 'status' | 'unread' | 'needs_user'>

export const sessionList = queryOptions({
  queryKey: [...all, 'sessions'],
  queryFn: () =>
    unwrap(api.GET('/api/chat/sessions', { params: { query: { limit: 100, pinned_first: true } } })),
})

/** The messages that wait, of all sessions. */
export const pendingLists = [...all, 'pending'] as const

export function pendingOf(session_id: string) {
  return queryOptions({
    queryKey: [...pendingLists, session_id],
    queryFn: () => unwrap(api.GET('/api/chat/sessions/{chat_id}/messages/pending', at(session_id))),
  })
}

/** The path of a session's routes. */
function at(chat_id: string) {
  return { params: { path: { chat_id } } }
}

export function createSession(): Promise<Schemas['SessionMade']> {
  return unwrap(api.POST('/api/chat/sessions', { body: { dry_run: false } }))
}

export function useStopTurn(session_id: string) {
  return useMutation({
    // The turn that was running is remembered with the request: only it is "stopping".
    mutationFn: (_turn_id: string) => unwrap(api.POST('/api/chat/sessions/{chat_id}/cancel', at(session_id))),
    onError: toastProblem,
  })
}

/** Answer the message of the failed turn again. Its events come by the session's log; the stream is let go. */
export function useRetryTurn(session_id: string) {
  return useMutation({
    mutationFn: async () => {
      const ask = { ...at(session_id), parseAs: 'stream' as const }
      const answer = await unwrapped(api.POST('/api/chat/sessions/{chat_id}/retry', ask))
      await answer.body?.cancel()
    },
    onError: toastProblem,
  })
}

export function useRemovePending(session_id: string) {
  const cache = useQueryClient()
  const { queryKey } = pendingOf(session_id)
  return useMutation({
    mutationFn: (message_id: string) =>
      unwrap(
        api.DELETE('/api/chat/sessions/{chat_id}/messages/pending/{message_id}', {
          params: { path: { chat_id: session_id, message_id } },
        }),
      ),
    onSuccess: (_, message_id) => settle((id) => id === message_id),
    onError: toastProblem,
    onSettled: () => cache.invalidateQueries({ queryKey }),
  })
}

/** The user has seen everything up to this event. Nobody waits for it: the next look says it again. */
export function useMarkSeen(session_id: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (event_id: number) =>
      unwrap(api.PATCH('/api/chat/sessions/{chat_id}/seen', { ...at(session_id), body: { event_id } })),
    onSuccess: () => cache.invalidateQueries({ queryKey: sessionList.queryKey }),
  })
}

type Change = { session_id: string; send: () => Promise<unknown>; change: Partial<Session> }

/** A change that shows at once; a refusal takes it back and says why. */
function useChangeSession() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ send }: Change) => send(),
    onMutate: ({ session_id, change }) => {
      const before = cache.getQueryData(sessionList.queryKey)
      const changed = (one: Row) => (one.id === session_id ? { ...one, ...change } : one)
      cache.setQueryData(
        sessionList.queryKey,
        (known) => known && { ...known, sessions: known.sessions.map(changed) },
      )
      return before
    },
    onError: (problem, _, before) => {
      cache.setQueryData(sessionList.queryKey, before)
      toastProblem(problem)
    },
    onSettled: () => cache.invalidateQueries({ queryKey: sessionList.queryKey }),
  })
}

export function useRenameSession() {
  const change = useChangeSession()
  return (session_id: string, title: string) => {
    const ask = { ...at(session_id), body: { title } }
    const send = () => unwrap(api.PATCH('/api/chat/sessions/{chat_id}/title', ask))
    change.mutate({ session_id, send, change: { title } })
  }
}

export function usePinSession() {
  const change = useChangeSession()
  return (session_id: string, pinned: boolean) => {
    const ask = { ...at(session_id), body: { pinned } }
    const send = () => unwrap(api.PATCH('/api/chat/sessions/{chat_id}/pinned', ask))
    change.mutate({ session_id, send, change: { pinned } })
  }
}

/** Delete a session for good, and stop its turn; the request outlives the page. */
export function deleteSession(session_id: string): Promise<unknown> {
  return unwrap(api.DELETE('/api/chat/sessions/{chat_id}', { ...at(session_id), keepalive: true }))
}
