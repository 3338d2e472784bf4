import { fields, number } from '@/kit/json'
import type { Fallback } from './connection'

const LOGS: Record<string, string> = { session: '/api/chat/sessions', run: '/api/runs' }

/** Server-sent events for one channel. The browser reconnects by itself and sends the last id it saw. */
export const overSse: Fallback = (channel, after, listener) => {
  const [kind = '', id = ''] = channel.split(':')
  const logs = LOGS[kind]
  if (logs === undefined) return () => undefined
  const source = new EventSource(`${logs}/${encodeURIComponent(id)}/events?after=${after}`)
  source.onopen = () => listener.subscribed(after)
  source.onmessage = (message) => {
    const event: unknown = JSON.parse(String(message.data))
    const position = number(fields(event).id) ?? Number(message.lastEventId)
    if (Number.isFinite(position)) listener.event(position, event)
  }
  return () => source.close()
}
