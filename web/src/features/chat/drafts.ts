import { recall, remember } from '@/kit/stored'

const PREFIX = 'chat-draft:' // not `draft:`, where the builder keeps what somebody would miss

function key(session_id: string | null): string {
  return `${PREFIX}${session_id ?? 'new'}`
}

/** What was typed in a session and not sent. */
export function draftOf(session_id: string | null): string {
  return recall(key(session_id)) ?? ''
}

export function keepDraft(session_id: string | null, text: string): void {
  remember(key(session_id), text)
}

/** A text that comes back stands before what was typed meanwhile: neither is lost. */
export function joined(back: string, typed: string): string {
  return typed.trim() === '' ? back : `${back}\n\n${typed}`
}

/** Whoever signs out leaves nothing half-written for the next person at this browser. */
export function forgetDrafts(): void {
  for (const name of storedNames()) if (name.startsWith(PREFIX)) remember(name, null)
}

function storedNames(): string[] {
  try {
    return Object.keys(localStorage)
  } catch {
    return [] // A browser that keeps nothing has nothing to forget.
  }
}
