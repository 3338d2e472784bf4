import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { emptyRun, foldRun, type RunEvent } from '@/features/runs/reducer'
import { LiveNodes, nodeOf, OPEN } from './nodes'

const at = '2026-01-01T00:00:00Z'

function started(id: number, step_id: number, node_id: string): RunEvent {
  return { id, type: 'step.started', at, step_id, node_id, attempt: 1, inputs: {} }
}

function output(id: number, step_id: number, node_id: string, value: unknown): RunEvent {
  return { id, type: 'step.output', at, step_id, node_id, pin: 'out', value }
}

function finished(id: number, step_id: number, node_id: string, status = 'completed'): RunEvent {
  return { id, type: 'step.finished', at, step_id, node_id, status, error: null }
}

test('B13: an event tells its own node and no other', () => {
  const nodes = new LiveNodes()
  const first = foldRun(emptyRun, [started(1, 1, 'a'), started(2, 2, 'b')])
  nodes.show(first.steps)
  const [a, b] = [vi.fn(), vi.fn()]
  nodes.look('a', a)
  nodes.look('b', b)
  nodes.show(foldRun(first, [finished(3, 1, 'a')]).steps)
  expect([a.mock.calls.length, b.mock.calls.length]).toEqual([1, 0])
  expect([nodes.read('a')?.status, nodes.read('b')?.status]).toEqual(['completed', 'running'])
})

test('B13: a node has the count and the outputs of all its steps, and what goes on counts first', () => {
  const { steps } = foldRun(emptyRun, [
    started(1, 1, 'a'),
    output(2, 1, 'a', 'one'),
    finished(3, 1, 'a', 'failed'),
    started(4, 2, 'a'),
    output(5, 2, 'a', 'two'),
  ])
  expect(nodeOf(Object.values(steps))).toEqual({
    status: 'running',
    count: 2,
    outputs: [
      { pin: 'out', value: 'one' },
      { pin: 'out', value: 'two' },
    ],
  })
})

test('a node that the run has not reached is open; without a run there is nothing to say', () => {
  const nodes = new LiveNodes()
  expect(nodes.read('a')).toBeNull()
  nodes.show({})
  expect(nodes.read('a')).toBe(OPEN)
})

test('another run, or none, leaves nothing of the one before', () => {
  const nodes = new LiveNodes()
  nodes.show(foldRun(emptyRun, [started(1, 1, 'a'), started(2, 2, 'b')]).steps)
  const told = vi.fn()
  nodes.look('b', told)
  nodes.show(foldRun(emptyRun, [started(1, 1, 'a')]).steps)
  expect(nodes.read('b')).toBe(OPEN)
  expect(told).toHaveBeenCalledTimes(1)
  nodes.show(null)
  expect(nodes.read('a')).toBeNull()
  expect(told).toHaveBeenCalledTimes(2)
})

test('B15: a step that was taken over from another run says so', () => {
  const { steps } = foldRun(emptyRun, [{ ...started(1, 1, 'a'), recorded: 7 }, finished(2, 1, 'a')])
  expect(nodeOf(Object.values(steps)).status).toBe('recorded')
})

const anyRun = fc
  .array(fc.record({ step: fc.nat(5), kind: fc.constantFrom('start', 'put', 'end') }), { maxLength: 30 })
  .map((drafts) =>
    drafts.map(({ step, kind }, index) => {
      const node = `n${step % 3}`
      if (kind === 'start') return started(index + 1, step, node)
      return kind === 'put' ? output(index + 1, step, node, index) : finished(index + 1, step, node)
    }),
  )

test('C1: shown event by event or at once, the nodes are the same', () => {
  fc.assert(
    fc.property(anyRun, (log) => {
      const [slow, quick] = [new LiveNodes(), new LiveNodes()]
      let view = emptyRun
      for (const event of log) {
        view = foldRun(view, [event])
        slow.show(view.steps)
      }
      quick.show(foldRun(emptyRun, log).steps)
      slow.show(view.steps)
      for (const id of ['n0', 'n1', 'n2']) expect(slow.read(id)).toEqual(quick.read(id))
    }),
  )
})
