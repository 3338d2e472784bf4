import { fields, number, text } from '@/kit/json'

/** What the server says on the socket. */
export type Frame =
  | { kind: 'event'; channel: string; id: number; event: unknown }
  | { kind: 'subscribed'; channel: string; head: number }
  | { kind: 'reset'; channel: string }
  | { kind: 'error'; channel: string | null; code: string }
  | { kind: 'beat' }

/** Read one frame; what is not understood still proves that the server lives. */
export function frameOf(raw: string): Frame {
  const body = fields(parsed(raw))
  const channel = text(body.channel)
  const id = number(body.id)
  if (channel !== null && id !== null && body.event !== undefined) {
    return { kind: 'event', channel, id, event: body.event }
  }
  const said = text(body.type) ?? text(body.op)
  if (said === 'subscribed' && channel !== null)
    return { kind: 'subscribed', channel, head: number(body.head) ?? 0 }
  if (said === 'reset' && channel !== null) return { kind: 'reset', channel }
  if (said === 'error') return { kind: 'error', channel, code: text(body.code) ?? 'internal' }
  return { kind: 'beat' }
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    return null
  }
}
