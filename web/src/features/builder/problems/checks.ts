import { list, text } from '@/kit/json'
import { say } from '@/kit/say'
import { type Graph, type Link, linksOf, type Node, nodesOf } from '../document'
import type { Faces } from '../faces'
import { type Block, baseOf, declaredPins, isCredentials, wiringOf } from '../pins'
import { blockedBy, ofLink, type Problem } from './problem'

/** What the page sees at once by itself; the server, which sees all, has the last word. */
export const SEEN_HERE: ReadonlySet<string> = new Set([
  'credentials_missing',
  'name_missing',
  'note_linked',
  'required',
  'several_triggers',
  'unknown_block',
  'unknown_in_pin',
  'unknown_out_pin',
])

export function checked(graph: Graph, faces: Faces): Problem[] {
  const blocks = new Map(nodesOf(graph).map((node) => [node.id, faces(node)]))
  const { into } = wiringOf(graph)
  const found = nodesOf(graph).flatMap((node) => ofNode(node, blocks.get(node.id), into.get(node.id) ?? []))
  for (const link of linksOf(graph)) found.push(...inLink(link, blocks))
  const triggers = [...blocks.values()].filter((block) => block?.kind === 'trigger').length
  if (triggers > 1) {
    found.push(
      problem('$agent', 'nodes', 'several_triggers', say('canvas.problem.triggers', { count: triggers })),
    )
  }
  return found
}

function problem(nodeId: string, field: string, code: string, message: string): Problem {
  return { nodeId, field, link: null, code, message, blocks: blockedBy(code) }
}

function ofNode(node: Node, block: Block | undefined, into: readonly Link[]): Problem[] {
  if (block === undefined) {
    return [
      problem(node.id, 'block', 'unknown_block', say('canvas.problem.unknown_block', { block: node.block })),
    ]
  }
  if (block.kind === 'note') return []
  const found: Problem[] = []
  const filled = new Set(into.map((link) => baseOf(link.in)))
  const border = block.kind === 'input' || block.kind === 'output'
  if (border && !text(node.inputs?.name) && !(block.kind === 'output' && filled.has('name'))) {
    found.push(problem(node.id, 'name', 'name_missing', say('canvas.problem.name_missing')))
  }
  for (const pin of declaredPins(block).inputs) {
    const named = border && pin.name === 'name'
    const fed = block.kind === 'trigger' && pin.name === 'payload'
    const inside = block.kind === 'agent' && pin.name in ((node.inputs?.inputs as object | undefined) ?? {})
    const given = filled.has(pin.name) || (node.inputs?.[pin.name] ?? null) !== null
    if (!pin.required || named || fed || inside || given || takesNull(pin.schema)) continue
    if (isCredentials(pin.name)) {
      if (node.optional_credentials) continue
      const words = say('canvas.problem.credentials', { pin: pin.name })
      found.push(problem(node.id, pin.name, 'credentials_missing', words))
    } else
      found.push(problem(node.id, pin.name, 'required', say('canvas.problem.required', { pin: pin.name })))
  }
  return found
}

function takesNull(schema: { readonly [key: string]: unknown }): boolean {
  return list(schema.anyOf).some((one) => (one as { type?: string }).type === 'null')
}

function inLink(link: Link, blocks: ReadonlyMap<string, Block | undefined>): Problem[] {
  const [source, target] = [blocks.get(link.from), blocks.get(link.to)]
  const note = source?.kind === 'note' ? link.from : target?.kind === 'note' ? link.to : null
  if (note !== null) return [problem(note, 'links', 'note_linked', say('canvas.problem.note_linked'))]
  const found: Problem[] = []
  if (source && !hasPin(source, 'outputs', link.out)) {
    const words = say('canvas.problem.no_output', { block: source.name, pin: baseOf(link.out) })
    found.push(ofLink(link, 'unknown_out_pin', words))
  }
  if (target && !hasPin(target, 'inputs', link.in)) {
    const words = say('canvas.problem.no_input', { block: target.name, pin: baseOf(link.in) })
    found.push(ofLink(link, 'unknown_in_pin', words))
  }
  return found
}

function hasPin(block: Block, side: 'inputs' | 'outputs', pin: string): boolean {
  const open = block[side].additionalProperties
  if (block.kind === 'agent' ? open !== false : open !== undefined && open !== false) return true
  return declaredPins(block)[side].some((one) => one.name === baseOf(pin))
}
