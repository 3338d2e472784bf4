import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '@/api/ask'
import { toastProblem } from '@/ui/toasts'

const all = ['chat'] as const

export type Session = {
  id: string
  title: string | null
  pinned: boolean
  created_at: string
  updated_at: string
  status: string
  origin: string
  unread: boolean
  needs_user: boolean
}

export type Pending = { message_id: string; text: string }

export const sessionList = queryOptions({
  queryKey: [...all, 'sessions'],
  queryFn: () =>
    ask<{ sessions: Session[]; total: number }>('GET', '/api/chat/sessions?limit=100&pinned_first=true'),
})

export function pendingOf(session_id: string) {
  return queryOptions({
    queryKey: [...all, 'pending', session_id],
    queryFn: () =>
      ask<{ messages: Pending[]; count: number }>('GET', `/api/chat/sessions/${session_id}/messages/pending`),
  })
}

export function createSession(): Promise<{ id: string }> {
  return ask('POST', '/api/chat/sessions', {})
}

export function useStopTurn(session_id: string) {
  return useMutation({
    mutationFn: (_turn_id: string) =>
      ask<{ cancelled: boolean; reason: string | null }>('POST', `/api/chat/sessions/${session_id}/cancel`),
    onError: toastProblem,
  })
}

export function useRetryTurn(session_id: string) {
  return useMutation({
    mutationFn: () => ask<unknown>('POST', `/api/chat/sessions/${session_id}/retry`),
    onError: toastProblem,
  })
}

export function useRemovePending(session_id: string) {
  const cache = useQueryClient()
  const { queryKey } = pendingOf(session_id)
  return useMutation({
    mutationFn: (message_id: string) =>
      ask<void>('DELETE', `/api/chat/sessions/${session_id}/messages/pending/${message_id}`),
    onError: toastProblem,
    onSettled: () => cache.invalidateQueries({ queryKey }),
  })
}

type Change = { session_id: string; path: string; body: object; change: Partial<Session> }

/** A change that shows at once; a refusal takes it back and says why. */
function useChangeSession() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ session_id, path, body }: Change) =>
      ask<void>('PATCH', `/api/chat/sessions/${session_id}/${path}`, body),
    onMutate: ({ session_id, change }) => {
      const before = cache.getQueryData(sessionList.queryKey)
      cache.setQueryData(
        sessionList.queryKey,
        (known) =>
          known && {
            ...known,
            sessions: known.sessions.map((one) => (one.id === session_id ? { ...one, ...change } : one)),
          },
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
  return (session_id: string, title: string) =>
    change.mutate({ session_id, path: 'title', body: { title }, change: { title } })
}

export function usePinSession() {
  const change = useChangeSession()
  return (session_id: string, pinned: boolean) =>
    change.mutate({ session_id, path: 'pinned', body: { pinned }, change: { pinned } })
}

export function useDeleteSession() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (session_id: string) => ask<void>('DELETE', `/api/chat/sessions/${session_id}`),
    onError: toastProblem,
    onSettled: () => cache.invalidateQueries({ queryKey: sessionList.queryKey }),
  })
}
