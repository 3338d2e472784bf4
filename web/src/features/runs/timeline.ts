/** When each step ran, waited, and stood ready to go on. Pure. */
import type { StepView } from './reducer'

export type PhaseKind = 'run' | 'wait' | 'queue'
export type Phase = { kind: PhaseKind; from: number; to: number }

type Logged = Pick<StepView, 'log' | 'ended_at'>

/** The phases of a step until it ended, or until `now`. */
export function phasesOf(step: Logged, now: number): Phase[] {
  const phases: Phase[] = []
  let open: { kind: PhaseKind; from: number } | null = null
  const close = (at: number) => {
    // What ran for less than the clock can tell ran all the same.
    if (open !== null && (at > open.from || open.kind === 'run')) phases.push({ ...open, to: at })
  }
  for (const moment of step.log) {
    const next = phaseAfter(moment)
    if (next === undefined) continue
    const at = Date.parse(moment.at)
    close(at)
    open = next === null ? null : { kind: next, from: at }
  }
  close(step.ended_at === null ? now : Date.parse(step.ended_at))
  return phases
}

/** What follows a moment of a step's log: another phase, its end (null), or nothing new. */
function phaseAfter({ type, said }: StepView['log'][number]): PhaseKind | null | undefined {
  switch (type) {
    case 'step.started':
      return 'run'
    case 'step.waiting':
      return said === null ? 'queue' : 'wait' // what it waited for has come: nobody has taken it up yet
    case 'review.requested':
    case 'step.retry':
      return 'wait'
    case 'review.decided':
      return 'queue'
    case 'step.finished':
      return null
    default:
      return undefined
  }
}

export type Shares = Record<PhaseKind, number>

/** How long the run as a whole was at work, only waited, or stood in a queue; together its whole life. */
export function sharesOf(phases: readonly Phase[], created: number, end: number): Shares {
  const shares: Shares = { run: 0, wait: 0, queue: 0 }
  const edges = [...new Set([created, end, ...phases.flatMap(({ from, to }) => [from, to])])]
    .filter((edge) => edge >= created && edge <= end)
    .sort((a, b) => a - b)
  const sorted = [...phases].sort((a, b) => a.from - b.from)
  let next = 0
  let open: Phase[] = []
  for (const [place, from] of edges.entries()) {
    const to = edges[place + 1]
    if (to === undefined) break
    while (next < sorted.length && (sorted[next]?.from ?? to) <= from) open.push(sorted[next++] as Phase)
    open = open.filter((phase) => phase.to > from)
    const kind = (['run', 'wait', 'queue'] as const).find((one) => open.some((phase) => phase.kind === one))
    shares[kind ?? 'queue'] += to - from
  }
  return shares
}
