/** Where two runs differ. Pure. */
import type { Schemas } from '@/api/shapes'
import { inline } from '@/kit/json'

type Run = Pick<Schemas['RunOut'], 'status' | 'version' | 'inputs' | 'outputs' | 'started_at' | 'ended_at'>
type Step = Pick<Schemas['StepOut'], 'node_id' | 'status' | 'attempt'>

export type Line = { what: string; a: string; b: string; same: boolean }

function line(what: string, a: string, b: string): Line {
  return { what, a, b, same: a === b }
}

/** Every value that either of them has, under its name. */
export function valuesApart(a: Readonly<Record<string, unknown>>, b: typeof a): Line[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
  const told = (of: typeof a, name: string) => (Object.hasOwn(of, name) ? inline(of[name], 2_000) : '')
  return names.map((name) => line(name, told(a, name), told(b, name)))
}

export function runsApart(a: Run, b: Run): { inputs: Line[]; outputs: Line[] } {
  return { inputs: valuesApart(a.inputs, b.inputs), outputs: valuesApart(a.outputs, b.outputs) }
}

/** How the steps of each node ended in either run, in the order of the first. */
export function stepsApart(a: readonly Step[], b: readonly Step[]): Line[] {
  const nodes = [...new Set([...a, ...b].map(({ node_id }) => node_id))]
  const ends = (of: readonly Step[], node: string) =>
    of
      .filter(({ node_id }) => node_id === node)
      .map(({ status, attempt }) => (attempt > 1 ? `${status} ×${attempt}` : status))
      .join(', ')
  return nodes.map((node) => line(node, ends(a, node), ends(b, node)))
}
