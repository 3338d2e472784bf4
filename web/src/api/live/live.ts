import { useSyncExternalStore } from 'react'
import { Connection, type Link } from './connection'
import { overSse } from './fallback'
import { Log, type LogKind, type Snapshot } from './logs'

function openSocket(): WebSocket {
  const { protocol, host } = window.location
  return new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/api/ws`)
}

const connection = new Connection(openSocket, overSse)
window.addEventListener('online', connection.hurry)
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') connection.hurry()
})

const logs = new Map<string, Log<never, never>>()

function logOf<State, Event>(kind: LogKind<State, Event>, id: string): Log<State, Event> {
  const channel = `${kind.name}:${id}`
  const known = logs.get(channel)
  if (known !== undefined) return known as unknown as Log<State, Event>
  const log = new Log(connection, kind, channel, () => logs.delete(channel))
  logs.set(channel, log as unknown as Log<never, never>)
  return log
}

/** Look at a log, folded, from its beginning and as it grows. */
export function useLog<State, Event>(
  kind: LogKind<State, Event>,
  id: string,
): Snapshot<State> & { again: () => void } {
  const log = logOf(kind, id)
  return { ...useSyncExternalStore(log.look, log.read), again: log.again }
}

export function useLink(): Link {
  return useSyncExternalStore(connection.watch, connection.state)
}

/** Be told of what happens to this user's things anywhere. */
export function followUser(heard: (event: unknown) => void): () => void {
  return connection.follow('user', 0, {
    event: (_, event) => heard(event),
    subscribed: () => undefined,
    reset: () => undefined,
    refused: () => undefined,
  })
}
