import type { Schemas } from '@/api/shapes'
import type { Mark } from '../canvas/board'
import { type Link, linkKey } from '../document'

/** Something wrong with the graph: where, and what it keeps one from doing. */
export type Problem = {
  nodeId: string
  field: string
  /** The link that is at fault, by its key; null when it is the node. */
  link: string | null
  code: string
  message: string
  blocks: 'save' | 'run' | null
}

/** Faults that keep a version from being stored; the server's list, held by a test. */
export const SAVE_CODES: ReadonlySet<string> = new Set([
  'bad_cron',
  'bad_document',
  'bad_pin_path',
  'disabled_block',
  'duplicate_link',
  'duplicate_node',
  'input_type_conflict',
  'name_missing',
  'note_linked',
  'reserved_name',
  'several_triggers',
  'sub_agent_cycle',
  'sub_agent_missing',
  'too_deep',
  'unknown_block',
  'unknown_in_pin',
  'unknown_node',
  'unknown_out_pin',
])

/** What never keeps anybody from anything. */
export const ADVICE_CODES: ReadonlySet<string> = new Set([
  'address_refused',
  'likely_lossy',
  'never_ready',
  'unknown_input',
  'unreachable',
])

export function blockedBy(code: string): Problem['blocks'] {
  if (ADVICE_CODES.has(code)) return null
  return SAVE_CODES.has(code) || code.startsWith('limit_') ? 'save' : 'run'
}

/** What is wrong at either end of a link stands where it comes in: there its parts are chosen and it is taken away. */
export function ofLink(link: Link, code: string, message: string): Problem {
  return { nodeId: link.to, field: link.in, link: linkKey(link), code, message, blocks: blockedBy(code) }
}

/** A node inside a sub-agent is named by its way there; its mark stands on the node that is here. */
export function told(issue: Schemas['IssueOut']): Problem {
  const { node_id, field, link, code, message } = issue
  const ends = link === null ? [] : [`${link.from} ${link.out}`, `${link.to} ${link.in}`]
  if (link !== null && ends.includes(`${node_id} ${field}`)) return ofLink(link, code, message)
  const nodeId = node_id.split('/')[0] ?? node_id
  return { nodeId, field, link: null, code, message, blocks: blockedBy(code) }
}

export function marksOf(problems: readonly Problem[]): Map<string, Mark> {
  const marks = new Map<string, Mark>()
  for (const { nodeId, blocks } of problems) {
    if (blocks !== null) marks.set(nodeId, 'error')
    else if (!marks.has(nodeId)) marks.set(nodeId, 'warning')
  }
  return marks
}
