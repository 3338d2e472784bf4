import { expect, test } from 'vitest'
import { logOf, wholeTurn } from './fixtures'
import { grouped, stateOf } from './groups'
import type { Session } from './queries'
import { foldChat } from './reducer'
import { howItEnded, shownOutput, whatRan } from './toolWords'
import { emptyChat, type ToolItem } from './view'

function tool(name: string, input: object, output: object): ToolItem {
  const view = foldChat(
    emptyChat,
    logOf([
      ['tool-input-available', { tool_call_id: 'c', tool: name, input }],
      ['tool-output-available', { tool_call_id: 'c', tool: name, output, success: true, duration_ms: 3 }],
    ]),
  )
  return view.items[0] as ToolItem
}

test.each([
  ['run_sub_session', { prompt: 'look' }, {}, 'Sub-AutoPilot: look', 'completed'],
  ['run_block', {}, { block_name: 'Fill text template' }, 'Action: Fill text template', 'completed'],
  [
    'run_agent',
    {},
    { type: 'execution_started', graph_name: 'Digest', status: 'queued' },
    'Agent: Digest',
    'queued',
  ],
  ['bash_exec', { command: 'sleep 20' }, { type: 'bash_exec', exit_code: 0 }, 'Ran: sleep 20', 'completed'],
  [
    'bash_exec',
    { command: 'nope' },
    { type: 'bash_exec', exit_code: 127, stderr: 'not found\nx' },
    'Ran: nope',
    'status code 127 - not found',
  ],
  [
    'find_block',
    { query: 'mail' },
    { type: 'block_list', blocks: [{}] },
    'Searched blocks: mail',
    '1 block found',
  ],
  ['someNew_tool', {}, {}, 'Some new tool', 'completed'],
  ['constructor', {}, { type: 'constructor' }, 'Constructor', 'completed'],
])('AP14, AP15: %s says what ran and how it ended', (name, input, output, what, ended) => {
  expect([whatRan(tool(name, input, output)), howItEnded(tool(name, input, output))]).toEqual([what, ended])
})

test('AP14: a failure says why', () => {
  const failed = foldChat(emptyChat, wholeTurn).items.findLast((item) => item.kind === 'tool') as ToolItem
  expect(howItEnded(failed)).toBe('Read the guide first.')
})

test('autopilot:8.7: a call that waits shows the session it waits for, until there is a result', () => {
  const asked = { tool_call_id: 'c', tool: 'run_sub_session', input: { prompt: 'look' } }
  const waits_for = [
    { kind: 'sub_session', id: 's9', tool_call_id: 'c' },
    { kind: 'run', id: 'r', tool_call_id: 'unknown' },
  ]
  const output = { type: 'sub_session_status', sub_session_id: 's9', status: 'completed', response: 'Here.' }
  const log = logOf([
    ['turn-started', { model: 'm' }],
    ['tool-input-available', asked],
    ['turn-suspended', { waits_for }],
    ['turn-resumed', {}],
    ['tool-output-available', { ...asked, output, success: true }],
  ])
  const waiting = foldChat(emptyChat, log.slice(0, 3)).items[0] as ToolItem
  expect([howItEnded(waiting), shownOutput(waiting)]).toEqual([
    'waiting',
    { type: 'sub_session_status', sub_session_id: 's9', status: 'running' },
  ])
  const done = foldChat(emptyChat, log).items[0] as ToolItem
  expect([howItEnded(done), shownOutput(done)]).toEqual(['completed', output])
  const runs = { ...waiting, waits_for: { kind: 'run', id: 'r1' } }
  expect(shownOutput(runs)).toEqual({ type: 'execution_started', execution_id: 'r1', status: 'running' })
})

test('autopilot:8.3, 8.6: parked work is told from its call to its end', () => {
  const output = { type: 'background', tool: 'bash_exec', background_id: 'bg-0123456789ab' }
  const about = { background_id: 'bg-0123456789ab', tool: 'bash_exec', ref_kind: 'local', ref_id: null }
  const log = logOf([
    ['tool-input-available', { tool_call_id: 'c', tool: 'bash_exec', input: {} }],
    ['background', { ...about, state: 'running' }],
    ['tool-output-available', { tool_call_id: 'c', tool: 'bash_exec', output, success: true }],
    ['background', { ...about, state: 'cancelled' }],
  ])
  const parked = foldChat(emptyChat, log.slice(0, 3)).items
  expect(parked).toMatchObject([{ status: 'background', background: 'running' }])
  expect(howItEnded(parked[0] as ToolItem)).toBe('goes on in the background')
  const items = foldChat(emptyChat, log).items
  expect(items).toMatchObject([{ background: 'cancelled' }, { kind: 'notice', code: 'background' }])
})

const now = Date.parse('2026-05-05T12:00:00Z')
const session = (id: string, more: Partial<Session>): Session => ({
  id,
  title: id,
  pinned: false,
  updated_at: '2026-05-05T10:00:00Z',
  status: 'idle',
  unread: false,
  needs_user: false,
  ...more,
})

test('AP1: sessions stand under Pinned, Today and Earlier, and empty groups are left out', () => {
  const old = { updated_at: '2026-04-01T10:00:00Z' }
  const groups = grouped([session('a', {}), session('b', { pinned: true, ...old }), session('c', old)], now)
  expect(groups.map(({ name, sessions }) => [name, sessions.map(({ id }) => id)])).toEqual([
    ['Pinned', ['b']],
    ['Today', ['a']],
    ['Earlier', ['c']],
  ])
  expect(grouped([session('a', {})], now)).toHaveLength(1)
})

test('AP1: what needs somebody is said before what runs, and what runs before what is unread', () => {
  expect(stateOf(session('a', { needs_user: true, status: 'running' }))?.words).toBe('needs you')
  expect(stateOf(session('a', { status: 'running', unread: true }))?.words).toBe('running')
  expect(stateOf(session('a', { unread: true }))?.words).toBe('unread')
  expect(stateOf(session('a', {}))).toBeNull()
})
