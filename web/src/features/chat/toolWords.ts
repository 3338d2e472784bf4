import { fields, inline, list, own, text } from '@/kit/json'
import { elapsed } from '@/kit/time'
import { inWords } from '@/kit/words'
import type { ToolItem } from './view'

const LABELS: Record<string, string> = {
  run_sub_session: 'Sub-AutoPilot',
  get_sub_session_result: 'Sub-AutoPilot result',
  check_background_tool: 'Checked background work',
  read_tool_result: 'Read a long result',
  run_block: 'Action',
  run_agent: 'Agent',
  find_block: 'Searched blocks',
  find_agent: 'Searched the marketplace',
  find_library_agent: 'Searched the library',
  get_agent_building_guide: 'Read the building guide',
  create_agent: 'Built agent',
  edit_agent: 'Changed agent',
  view_agent_output: 'Read run results',
  bash_exec: 'Ran',
  web_fetch: 'Read page',
  web_search: 'Searched the web',
  write_workspace_file: 'Wrote file',
  read_workspace_file: 'Read file',
  list_workspace_files: 'Listed files',
  delete_workspace_file: 'Deleted file',
  ask_question: 'Asked',
  TodoWrite: 'Updated the plan',
}

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
  const label = own(LABELS, item.tool) ?? inWords(item.tool)
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
  if (item.waits_for !== null && item.status === 'running') return 'waiting'
  if (item.status === 'preparing' || item.status === 'running') return 'running'
  if (item.status === 'background') return 'goes on in the background'
  if (item.status === 'cancelled') return 'cancelled'
  if (item.status === 'failed') return inline(item.error?.message ?? 'failed', 100)
  return outcome(fields(item.output))
}

function outcome(output: ReturnType<typeof fields>): string {
  if (output.type === 'bash_exec') {
    if (output.timed_out === true) return 'timed out'
    const first = text(output.stderr)?.split('\n')[0]
    return output.exit_code === 0
      ? 'completed'
      : `status code ${output.exit_code}${first ? ` - ${inline(first, 80)}` : ''}`
  }
  if (output.type === 'block_list') return found(list(output.blocks).length, 'block')
  if (output.type === 'agents_found') return found(list(output.agents).length, 'agent')
  if (output.type === 'no_results') return 'nothing found'
  if (output.type === 'sub_session_status') return text(output.status) ?? 'running'
  if (output.type === 'background_tool_status') return inWords(text(output.status) ?? 'running').toLowerCase()
  if (output.type === 'execution_started') return text(output.status) ?? 'started'
  return 'completed'
}

function found(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'} found`
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
