import { recall, remember } from '@/kit/stored'

function key(session_id: string | null): string {
  return `draft:${session_id ?? 'new'}`
}

/** What was typed in a session and not sent. */
export function draftOf(session_id: string | null): string {
  return recall(key(session_id)) ?? ''
}

export function keepDraft(session_id: string | null, text: string): void {
  remember(key(session_id), text)
}
