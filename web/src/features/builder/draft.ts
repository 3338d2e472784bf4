import { list, number } from '@/kit/json'
import { type Graph, sameGraph } from './document'

/** Changes that were not saved, and the version that they were made to. */
export type Draft = { version: number; graph: Graph; at: string }

export function draftKey(agentId: string): string {
  return `draft:${agentId}`
}

export function written(draft: Draft): string {
  return JSON.stringify(draft)
}

/** What was kept, unless it cannot be read or says what the server has anyway. */
export function readDraft(text: string | null, saved: Graph): Draft | null {
  const found = parsed(text)
  return isNews(found, saved) ? found : null
}

function readDrafts(text: string | null, saved: Graph): Draft[] {
  return list(parsed(text)).filter((found): found is Draft => isNews(found, saved))
}

function parsed(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isNews(found: unknown, saved: Graph): found is Draft {
  try {
    return isDraft(found) && !sameGraph(found.graph, saved)
  } catch {
    return false // it looks like a draft, but what is in it is no graph
  }
}

function isDraft(found: unknown): found is Draft {
  if (typeof found !== 'object' || found === null) return false
  const { version, graph, at } = found as Partial<Record<keyof Draft, unknown>>
  const nodes = (graph as Graph | null | undefined)?.nodes
  return number(version) !== null && typeof at === 'string' && (nodes === undefined || Array.isArray(nodes))
}

/** Where texts are kept over a reload and a crash, for all tabs. */
export type Shelf = {
  recall: (key: string) => string | null
  remember: (key: string, text: string | null) => void
}

/** One visit to one agent: what earlier ones left, the newest last, and what this one keeps. */
export type Visit = {
  readonly shelf: Shelf
  readonly key: string
  left: readonly Draft[]
  /** Whether the newest of them still lies where this visit keeps its own. */
  isInTheWay: boolean
  mine: string | null
}

export function visiting(agentId: string, saved: Graph, shelf: Shelf): Visit {
  const key = draftKey(agentId)
  const newest = readDraft(shelf.recall(key), saved)
  const older = readDrafts(shelf.recall(leftKey(key)), saved)
  const left = newest === null ? older : [...older, newest]
  return { shelf, key, left, isInTheWay: newest !== null, mine: null }
}

/** What somebody is asked about next. */
export function offeredTo(visit: Visit): Draft | null {
  return visit.left.at(-1) ?? null
}

/** These changes are not saved yet. What is offered stays, whatever is edited before it is answered. */
export function keep(visit: Visit, draft: Draft): void {
  if (visit.isInTheWay) putAside(visit)
  visit.mine = written(draft)
  visit.shelf.remember(visit.key, visit.mine)
}

/** All that was done here is saved, or undone: this is what the server has. What another tab keeps stays. */
export function clear(visit: Visit, saved: Graph): void {
  const there = visit.shelf.recall(visit.key)
  const isNothing = there === visit.mine || readDraft(there, saved) === null
  if (there !== null && isNothing) visit.shelf.remember(visit.key, null)
  visit.mine = null
}

/** What was offered was taken up or dropped. */
export function answer(visit: Visit): void {
  const answered = offeredTo(visit)
  if (answered === null) return
  visit.left = visit.left.slice(0, -1)
  // Another tab may have gone on with it since: then what lies there is another one.
  const isThere = visit.isInTheWay && visit.shelf.recall(visit.key) === written(answered)
  if (isThere) visit.shelf.remember(visit.key, null)
  putAside(visit)
}

function putAside(visit: Visit): void {
  visit.isInTheWay = false
  visit.shelf.remember(leftKey(visit.key), visit.left.length === 0 ? null : JSON.stringify(visit.left))
}

function leftKey(key: string): string {
  return `${key}:left`
}
