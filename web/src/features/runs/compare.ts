/** Two runs side by side, line by line, as the server compared them. Pure. */
import type { Schemas } from '@/api/shapes'
import { inline } from '@/kit/json'
import { dollars } from '@/kit/money'
import { say, sayStatus } from '@/kit/say'
import { elapsed } from '@/kit/time'

type Comparison = Schemas['RunComparison']
type Figures = Schemas['NodeFigures']
type Values = Readonly<Record<string, unknown>>

/** `same` is null where a difference means nothing: no two runs take equally long. */
export type Line = { what: string; a: string; b: string; same: boolean | null }

function line(what: string, a: string, b: string): Line {
  return { what, a, b, same: a === b }
}

/** Every value that either of them has, under its name. */
export function valuesApart(a: Values, b: Values): Line[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
  const told = (of: Values, name: string) => (Object.hasOwn(of, name) ? inline(of[name], 2_000) : '')
  return names.map((name) => line(name, told(a, name), told(b, name)))
}

export function wholeApart({ a, b }: Pick<Comparison, 'a' | 'b'>): Line[] {
  return [
    line(say('runs.status'), sayStatus(a.status), sayStatus(b.status)),
    line(say('runs.versionHead'), String(a.version), String(b.version)),
    { what: say('runs.took'), a: elapsed(a.duration_ms), b: elapsed(b.duration_ms), same: null },
    line(say('runs.spent'), dollars(a.cost_microdollars), dollars(b.cost_microdollars)),
  ]
}

export function outputsApart({ outputs }: Pick<Comparison, 'outputs'>): Line[] {
  return outputs.map(({ name, same, a, b }) => ({ what: name, a: valuesIn(a), b: valuesIn(b), same }))
}

/** A single value as itself, several as the list that they are. */
function valuesIn(values: readonly unknown[]): string {
  if (values.length === 0) return ''
  return inline(values.length === 1 ? values[0] : values, 2_000)
}

/** How the steps of each node ended, what they took and cost, and whether they gave the same values. */
export function nodesApart(
  { nodes }: Pick<Comparison, 'nodes'>,
  titleOf: (node_id: string) => string,
): Line[] {
  return nodes.map(({ node_id, same_outputs, a, b }) => {
    const same = same_outputs && endsOf(a) === endsOf(b)
    const apart = a !== null && b !== null && !same_outputs
    const told = [figuresOf(b), apart && say('runs.otherValues')].filter(Boolean).join('; ')
    return { what: titleOf(node_id), a: figuresOf(a), b: told, same }
  })
}

function endsOf(figures: Figures | null): string {
  return Object.entries(figures?.statuses ?? {})
    .map(([status, count]) => (count > 1 ? `${sayStatus(status)} ×${count}` : sayStatus(status)))
    .join(', ')
}

function figuresOf(figures: Figures | null): string {
  if (figures === null) return say('runs.compareNotReached')
  const cost = figures.cost_microdollars > 0 && dollars(figures.cost_microdollars)
  return [endsOf(figures), elapsed(figures.duration_ms), cost].filter(Boolean).join(', ')
}
