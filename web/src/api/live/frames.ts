import { fields, list, number, text } from '@/kit/json'

export type Told = { id: number; event: unknown }

/** What the server says on the socket. */
export type Frame =
  | { kind: 'events'; channel: string; events: readonly Told[] }
  | { kind: 'subscribed'; channel: string; head: number }
  | { kind: 'reset'; channel: string }
  | { kind: 'error'; channel: string | null; code: string }
  | { kind: 'beat' }

/** Read one frame; what is not understood still proves that the server lives. */
export function frameOf(raw: string): Frame {
  const body = fields(parsed(raw))
  const channel = text(body.channel)
  const events = (body.events === undefined ? [body] : list(body.events)).flatMap(toldIn)
  if (channel !== null && events.length > 0) return { kind: 'events', channel, events }
  const said = text(body.type) ?? text(body.op)
  if (said === 'subscribed' && channel !== null)
    return { kind: 'subscribed', channel, head: number(body.head) ?? 0 }
  if (said === 'reset' && channel !== null) return { kind: 'reset', channel }
  if (said === 'error') return { kind: 'error', channel, code: text(body.code) ?? 'internal' }
  return { kind: 'beat' }
}

function toldIn(raw: unknown): Told[] {
  const { id, event } = fields(raw)
  const count = number(id)
  return count === null || event === undefined ? [] : [{ id: count, event }]
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    return null
  }
}
