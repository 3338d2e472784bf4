import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { attemptFailed, beginAttempt } from './attempts'
import { post } from './outbox'
import { createSession, pendingOf, sessionList } from './queries'

/** Send a message: to this session, or to a new one that is opened for it. Throws what it was refused with. */
export function useSend(session_id: string | null): (text: string) => Promise<void> {
  const cache = useQueryClient()
  const navigate = useNavigate()
  const made = useRef<Promise<string> | null>(null) // one page makes one session, however often it sends

  function makeSession(): Promise<string> {
    made.current ??= createSession().then(
      ({ id }) => id,
      (problem) => {
        made.current = null
        throw problem
      },
    )
    return made.current
  }

  const { mutateAsync } = useMutation({
    mutationFn: async (text: string) => {
      const session = session_id ?? (await makeSession())
      await postOnce(session, text)
      if (session_id === null) void navigate({ to: '/chat/$sessionId', params: { sessionId: session } })
      return session
    },
    onSettled: (session) => {
      void cache.invalidateQueries({ queryKey: sessionList.queryKey })
      if (session !== undefined) void cache.invalidateQueries({ queryKey: pendingOf(session).queryKey })
    },
  })
  return async (text) => {
    await mutateAsync(text)
  }
}

/** However often a text is tried, the server takes it once. */
async function postOnce(session: string, text: string): Promise<void> {
  const message_id = beginAttempt(session, text)
  try {
    await post(session, text, message_id)
  } catch (problem) {
    attemptFailed(session, text, message_id)
    throw problem
  }
}
