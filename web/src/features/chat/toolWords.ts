import { fields, inline, list, text } from '@/kit/json'
import { say, sayCount, sayIfKnown, sayStatus } from '@/kit/say'
import { elapsed } from '@/kit/time'
import { inWords } from '@/kit/words'
import type { ToolItem } from './view'

/** What of its arguments tells one call from another. */
const SUBJECTS = [
  'command',
  'query',
  'name',
  'path',
  'url',
  'block_name',
  'prompt',
  'agent_name',
  'tool_name',
] as const

/** What ran, for the left half of the row. */
export function whatRan(item: ToolItem): string {
  const label = sayIfKnown(`chat.tool.${item.tool}`) ?? inWords(item.tool)
  const subject = subjectOf(item)
  return subject === null ? label : `${label}: ${subject}`
}

function subjectOf(item: ToolItem): string | null {
  const output = fields(item.output)
  const named =
    text(output.block_name) ??
    text(output.graph_name) ??
    text(output.agent_name) ??
    text(fields(output.agent).name) ??
    SUBJECTS.map((key) => text(fields(item.input)[key])).find((value) => value)
  return named ? inline(named, 80) : null
}

/** How it ended, for the right half. Nothing of the left half is said again. */
export function howItEnded(item: ToolItem): string {
  if (item.waits_for !== null && item.status === 'running') return sayStatus('waiting')
  if (item.status === 'preparing' || item.status === 'running') return sayStatus('running')
  if (item.status === 'background') return say('chat.goesOn')
  if (item.status === 'cancelled') return sayStatus('cancelled')
  if (item.status === 'failed') return inline(item.error?.message ?? sayStatus('failed'), 100)
  return outcome(fields(item.output))
}

function outcome(output: ReturnType<typeof fields>): string {
  if (output.type === 'bash_exec') {
    if (output.timed_out === true) return say('chat.timedOut')
    const first = text(output.stderr)?.split('\n')[0]
    if (output.exit_code === 0) return sayStatus('completed')
    const code = say('chat.statusCode', { code: String(output.exit_code) })
    return first ? `${code} - ${inline(first, 80)}` : code
  }
  if (output.type === 'block_list') return sayCount('chat.foundBlocks', list(output.blocks).length)
  if (output.type === 'agents_found') return sayCount('chat.foundAgents', list(output.agents).length)
  if (output.type === 'no_results') return say('chat.nothingFound')
  if (output.type === 'sub_session_status') return sayStatus(text(output.status) ?? 'running')
  if (output.type === 'background_tool_status') return sayStatus(text(output.status) ?? 'running')
  if (output.type === 'execution_started')
    return output.status ? sayStatus(String(output.status)) : say('chat.started')
  return sayStatus('completed')
}

/** What its card is made from: the result, or while there is none, the run or session that the call waits for. */
export function shownOutput(item: ToolItem): ReturnType<typeof fields> {
  if (item.waits_for === null || item.status !== 'running') return fields(item.output)
  const { kind, id } = item.waits_for
  if (kind === 'sub_session') return { type: 'sub_session_status', sub_session_id: id, status: 'running' }
  return { type: 'execution_started', execution_id: id, status: 'running' }
}

export function took(item: ToolItem): string | null {
  return item.duration_ms === null ? null : elapsed(item.duration_ms)
}
