import { fields, number } from '@/kit/json'
import type { Fallback, Source } from './connection'

const LOGS: Record<string, string> = { session: '/api/chat/sessions', run: '/api/runs' }
const NOTHING: Source = { stop: () => undefined, isOpen: () => false }

/**
 * Server-sent events for one channel. After a cut the browser reconnects by itself and sends the last id it saw; after
 * an answer that is no stream it gives up for good, and that is told.
 */
export const overSse: Fallback = (channel, after, listener, gaveUp) => {
  const [kind = '', id = ''] = channel.split(':')
  const logs = LOGS[kind]
  if (logs === undefined) return NOTHING
  const source = new EventSource(`${logs}/${encodeURIComponent(id)}/events?after=${after}`)
  source.onopen = () => listener.subscribed(after)
  source.onmessage = (message) => {
    const event: unknown = JSON.parse(String(message.data))
    const position = number(fields(event).id) ?? Number(message.lastEventId)
    if (Number.isFinite(position)) listener.event(position, event)
  }
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) gaveUp()
  }
  return { stop: () => source.close(), isOpen: () => source.readyState === EventSource.OPEN }
}
