import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { post } from './outbox'
import { createSession, pendingOf, sessionList } from './queries'

/** Send a message: to this session, or to a new one that is opened for it. */
export function useSend(session_id: string | null) {
  const cache = useQueryClient()
  const navigate = useNavigate()
  const spare = useRef<string | null>(null) // made for a message that was then refused: the next one uses it

  return useMutation({
    mutationFn: async ({ text, message_id }: { text: string; message_id: string }) => {
      spare.current ??= session_id ?? (await createSession()).id
      const session = session_id ?? spare.current
      const outcome = await post(session, text, message_id)
      spare.current = null
      if (session_id === null) void navigate({ to: '/chat/$sessionId', params: { sessionId: session } })
      return { session, outcome }
    },
    onSettled: (sent) => {
      void cache.invalidateQueries({ queryKey: sessionList.queryKey })
      if (sent) void cache.invalidateQueries({ queryKey: pendingOf(sent.session).queryKey })
    },
  })
}
