import { fields } from '@/kit/json'
import {
  type Graph,
  type Link,
  linkKey,
  linksOf,
  type Node,
  nodesOf,
  placeOf,
  same,
  sameNode,
} from './document'
import type { Operation } from './operations'

/** The operations that make `after` of `before`; nodes that are the same object cost nothing. */
export function between(before: Graph, after: Graph): Operation[] {
  if (before === after) return []
  const old = new Map(nodesOf(before).map((node) => [node.id, node]))
  const now = new Map(nodesOf(after).map((node) => [node.id, node]))
  const stays = (id: string) => old.has(id) && old.get(id)?.block === now.get(id)?.block
  const made: Operation[] = []
  for (const id of old.keys()) if (!stays(id)) made.push({ op: 'remove_node', node: id })
  const [links, wanted] = [byKey(before), byKey(after)]
  const kept = (link: Link) => stays(link.from) && stays(link.to)
  for (const [key, link] of links) {
    if (kept(link) && !sameLink(link, wanted.get(key))) made.push({ op: 'disconnect', ...ends(link) })
  }
  for (const [id, node] of now) {
    const known = old.get(id)
    if (known !== undefined && stays(id)) made.push(...changes(known, node))
    else made.push(...addition(node))
  }
  for (const [key, link] of wanted) {
    if (kept(link) && sameLink(link, links.get(key))) continue
    made.push({ op: 'connect', ...ends(link), ...(link.static ? { static: true } : {}) })
  }
  return [...made, ...texts(before, after)]
}

function byKey(graph: Graph): Map<string, Link> {
  return new Map(linksOf(graph).map((link) => [linkKey(link), link]))
}

function sameLink(a: Link, b: Link | undefined): boolean {
  return b !== undefined && (a.static ?? false) === (b.static ?? false)
}

function ends({ from, out, to, in: sink }: Link) {
  return { from, out, to, in: sink }
}

function changes(old: Node, node: Node): Operation[] {
  if (sameNode(old, node)) return []
  const made: Operation[] = []
  const [was, is] = [old.inputs ?? {}, node.inputs ?? {}]
  for (const pin of Object.keys(was)) {
    if (!Object.hasOwn(is, pin)) made.push({ op: 'unset_input', node: node.id, field: [pin] })
  }
  for (const [pin, value] of Object.entries(is)) {
    if (Object.hasOwn(was, pin) && same(was[pin], value)) continue
    made.push({ op: 'set_input', node: node.id, field: [pin], value, keep_unknown: true })
  }
  if ((old.name ?? '') !== (node.name ?? ''))
    made.push({ op: 'rename_node', node: node.id, name: node.name ?? '' })
  if (!same(placeOf(old), placeOf(node)))
    made.push({ op: 'move_node', node: node.id, position: placeOf(node) })
  const patch = patchBetween(rest(old), rest(node))
  if (Object.keys(patch).length > 0) made.push({ op: 'update_node', node: node.id, patch })
  return made
}

/** What makes a node with all that it has. */
export function addition(node: Node): Operation[] {
  const { id, block, name, inputs } = node
  const made: Operation[] = [
    {
      op: 'add_node',
      id,
      block,
      position: placeOf(node),
      ...(name ? { name } : {}),
      ...(inputs ? { inputs: { ...inputs }, keep_unknown: true } : {}),
    },
  ]
  const patch = rest(node)
  if (Object.keys(patch).length > 0) made.push({ op: 'update_node', node: id, patch })
  return made
}

/** What has no operation of its own. */
function rest({ policy, optional_credentials }: Node): { [key: string]: unknown } {
  return { ...(policy ? { policy } : {}), ...(optional_credentials ? { optional_credentials } : {}) }
}

type Parts = { readonly [key: string]: unknown }

function patchBetween(old: Parts, now: Parts): { [key: string]: unknown } {
  const patch: { [key: string]: unknown } = {}
  for (const key of Object.keys(old)) if (!Object.hasOwn(now, key)) patch[key] = null
  for (const [key, part] of Object.entries(now)) {
    if (same(old[key], part)) continue
    const deeper = typeof part === 'object' && part !== null && !Array.isArray(part) && key in old
    patch[key] = deeper ? patchBetween(fields(old[key]), fields(part)) : part
  }
  return patch
}

function texts(before: Graph, after: Graph): Operation[] {
  const made: Operation[] = []
  const differs = (key: 'name' | 'description' | 'instructions' | 'recommended_schedule_cron') =>
    (before[key] ?? '') !== (after[key] ?? '')
  if (differs('name')) made.push({ op: 'set_name', value: after.name ?? '' })
  if (differs('description')) made.push({ op: 'set_description', value: after.description ?? '' })
  if (differs('instructions')) made.push({ op: 'set_instructions', value: after.instructions ?? '' })
  if (differs('recommended_schedule_cron'))
    made.push({ op: 'set_recommended_schedule', value: after.recommended_schedule_cron ?? '' })
  return made
}
