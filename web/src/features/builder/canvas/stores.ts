import { useCallback, useSyncExternalStore } from 'react'

/** A value per key, watched key by key: a change wakes only those who look at that key. */
export class KeyedStore<T> {
  private values: ReadonlyMap<string, T> = new Map()
  private readonly watchers = new Map<string, Set<() => void>>()
  private readonly watching = new Set<() => void>()

  readonly get = (key: string): T | undefined => this.values.get(key)

  readonly watch = (key: string, changed: () => void) => {
    const found = this.watchers.get(key) ?? new Set()
    this.watchers.set(key, found.add(changed))
    return () => void found.delete(changed)
  }

  /** Hear of any change at all: for what shows everything in one picture. */
  readonly watchAll = (changed: () => void) => {
    this.watching.add(changed)
    return () => void this.watching.delete(changed)
  }

  /** Take over what is so now; keys whose value stays the same hear nothing. */
  become(values: ReadonlyMap<string, T>): void {
    const before = this.values
    this.values = values
    for (const [key, watchers] of this.watchers) {
      if (before.get(key) !== values.get(key)) for (const watcher of watchers) watcher()
    }
    for (const watcher of this.watching) watcher()
  }
}

export function useKeyed<T>(store: KeyedStore<T>, key: string): T | undefined {
  const watch = useCallback((changed: () => void) => store.watch(key, changed), [store, key])
  return useSyncExternalStore(watch, () => store.get(key))
}

/** One value that many may watch. */
export class Cell<T> {
  private value: T
  private readonly watchers = new Set<() => void>()

  constructor(value: T) {
    this.value = value
  }

  readonly get = (): T => this.value

  readonly watch = (changed: () => void) => {
    this.watchers.add(changed)
    return () => void this.watchers.delete(changed)
  }

  set(value: T): void {
    if (value === this.value) return
    this.value = value
    for (const watcher of this.watchers) watcher()
  }
}

export function useCell<T>(cell: Cell<T>): T {
  return useSyncExternalStore(cell.watch, cell.get)
}
