import { newId } from '@/kit/ids'

/** By session: the texts that were not answered for, each with the id that it went under. */
const failed = new Map<string, Map<string, string>>()

/**
 * The id for a message that goes out now. Its answer may have been lost and not the message, so the same text sent
 * again keeps its id, and the server takes it once. Another text lets that go: then the same words are meant anew.
 */
export function beginAttempt(session_id: string, text: string): string {
  const known = failed.get(session_id)?.get(text)
  failed.delete(session_id)
  return known ?? newId()
}

export function attemptFailed(session_id: string, text: string, message_id: string): void {
  failed.set(session_id, new Map(failed.get(session_id)).set(text, message_id))
}
