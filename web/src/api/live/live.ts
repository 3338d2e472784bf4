import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { Connection, type Link } from './connection'
import { overSse } from './fallback'
import { Log, type LogKind, type Snapshot } from './logs'

function openSocket(): WebSocket {
  const { protocol, host } = window.location
  return new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/api/ws`)
}

let signedOut: () => void = () => undefined
const connection = new Connection(openSocket, overSse, () => signedOut())

/** What to do when the server says that the session is over. */
export function whenSignedOut(act: () => void): void {
  signedOut = act
}

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

const lookAtNothing = () => () => undefined

/** Look at a log, folded, from its beginning and as it grows. No id: an empty one. */
export function useLog<State, Event>(
  kind: LogKind<State, Event>,
  id: string | null,
): Snapshot<State> & { again: () => void } {
  const log = id === null ? null : logOf(kind, id)
  const nothing = useMemo(
    (): Snapshot<State> => ({ state: kind.empty, phase: 'loading', refused: null }),
    [kind],
  )
  const snapshot = useSyncExternalStore(log?.look ?? lookAtNothing, log?.read ?? (() => nothing))
  return { ...snapshot, again: log?.again ?? (() => undefined) }
}

export function useLink(): Link {
  return useSyncExternalStore(connection.watch, connection.state)
}

const userListeners = new Set<() => void>()
let leaveUser: (() => void) | null = null

function joinUser(): void {
  const tell = () => {
    for (const heard of userListeners) heard()
  }
  leaveUser = connection.follow('user', 0, {
    event: tell,
    subscribed: tell,
    reset: () => {
      leaveUser?.()
      joinUser()
    },
    refused: () => undefined,
  })
}

/** Be told when something of this user's changed anywhere. These are hints: whoever hears one looks anew. */
export function followUser(heard: () => void): () => void {
  userListeners.add(heard)
  if (leaveUser === null) joinUser()
  return () => {
    userListeners.delete(heard)
    if (userListeners.size > 0) return
    leaveUser?.()
    leaveUser = null
  }
}

/** Stay connected while this is shown, whatever the page looks at: who knows the server sees it leave and return. */
export function useConnection(): void {
  useEffect(() => followUser(() => undefined), [])
}
