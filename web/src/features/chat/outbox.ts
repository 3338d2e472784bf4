import { useSyncExternalStore } from 'react'
import { api, unwrapped } from '@/api/client'

/** A message on its way: shown until the log, or the list of waiting messages, has it. */
export type Outgoing = { message_id: string; session_id: string; text: string; queued: boolean }

let outgoing: readonly Outgoing[] = []
const watchers = new Set<() => void>()

function become(changed: readonly Outgoing[]) {
  outgoing = changed
  for (const watcher of watchers) watcher()
}

export function useOutbox(): readonly Outgoing[] {
  return useSyncExternalStore(
    (changed) => {
      watchers.add(changed)
      return () => watchers.delete(changed)
    },
    () => outgoing,
  )
}

/** Forget what the server has by now. */
export function settle(isKnown: (message_id: string) => boolean): void {
  const left = outgoing.filter((message) => !isKnown(message.message_id))
  if (left.length !== outgoing.length) become(left)
}

const lines = new Map<string, Promise<unknown>>()

/** One after the other: what was said first is heard first, though requests may overtake each other on the way. */
function inLine<T>(session_id: string, send: () => Promise<T>): Promise<T> {
  const sent = (lines.get(session_id) ?? Promise.resolve()).then(send, send)
  lines.set(session_id, sent)
  return sent
}

/**
 * Post a message under an id of its own. The turn's events come by the session's log, so the answer's own stream is
 * let go; the turn does not need it. Throws the problem after taking the message back.
 */
export async function post(
  session_id: string,
  text: string,
  message_id: string,
): Promise<'started' | 'queued'> {
  become([...outgoing, { message_id, session_id, text, queued: false }])
  try {
    const queued = await inLine(session_id, () => deliver(session_id, text, message_id))
    if (queued) become(outgoing.map((one) => (one.message_id === message_id ? { ...one, queued } : one)))
    return queued ? 'queued' : 'started'
  } catch (problem) {
    settle((id) => id === message_id)
    throw problem
  }
}

async function deliver(session_id: string, text: string, message_id: string): Promise<boolean> {
  const body = { message: text, message_id, is_user_message: true as const, file_ids: [] }
  const params = { path: { chat_id: session_id } }
  const answer = await unwrapped(
    api.POST('/api/chat/sessions/{chat_id}/stream', { params, body, parseAs: 'stream' }),
  )
  await answer.body?.cancel()
  return answer.status === 202
}
