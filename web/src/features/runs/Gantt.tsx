import { useRef } from 'react'
import { say, sayCount, sayStatus } from '@/kit/say'
import { elapsed, moment } from '@/kit/time'
import { rowsWith, useRowWindow } from '@/kit/useRowWindow'
import { Icon } from '@/ui/Icon'
import { ScrollFrame } from '@/ui/ScrollFrame'
import type { Jump } from './jump'
import type { StepView } from './reducer'
import { type Phase, phasesOf } from './timeline'

const ROW = 28

type Props = {
  steps: readonly StepView[]
  titleOf: (node_id: string) => string
  from: number
  to: number
  /** When another worker took the run up after a crash. */
  takeovers: readonly string[]
  chosen: number | null
  jump: Jump | null
  onChoose: (step_id: number) => void
}

/** Every step as a bar in time: when it ran, waited, and stood ready. Only the rows in sight are there. */
export function Gantt({ steps, titleOf, from, to, takeovers, chosen, jump, onChoose }: Props) {
  const frame = useRef<HTMLElement>(null)
  const held = jump === null ? -1 : steps.findIndex((step) => step.step_id === jump.step)
  const rows = rowsWith(useRowWindow(frame, ROW, steps.length), held)
  const place = (at: number) => `${(100 * (at - from)) / Math.max(1, to - from)}%`
  return (
    <ScrollFrame ref={frame} className="gantt" aria-label={say('runs.timeline')}>
      <ol
        className="gantt-rows"
        style={{ height: steps.length * ROW }}
        aria-label={sayCount('common.steps', steps.length)}
      >
        {placed(steps, rows).map(([row, step]) => (
          <li key={step.step_id} style={{ top: row * ROW }}>
            <button
              type="button"
              className="gantt-row"
              data-step={step.step_id}
              aria-pressed={chosen === step.step_id}
              onClick={() => onChoose(step.step_id)}
            >
              <span className="clip gantt-name" title={titleOf(step.node_id)}>
                {titleOf(step.node_id)}
              </span>
              <Bars step={step} phases={phasesOf(step, to)} place={place} />
              <span className="unseen">{told(step)}</span>
            </button>
          </li>
        ))}
      </ol>
      <div className="gantt-marks" aria-hidden="true">
        {takeovers.map((at) => (
          <span
            key={at}
            style={{ insetInlineStart: place(Date.parse(at)) }}
            title={say('runs.takenOver', { time: moment(at) })}
          />
        ))}
      </div>
    </ScrollFrame>
  )
}

function placed(steps: readonly StepView[], rows: readonly number[]): [number, StepView][] {
  return rows.flatMap((row) => {
    const step = steps[row]
    return step === undefined ? [] : [[row, step]]
  })
}

type BarsProps = { step: StepView; phases: readonly Phase[]; place: (at: number) => string }

function Bars({ step, phases, place }: BarsProps) {
  const start = phases[0]?.from ?? Date.parse(step.started_at ?? '')
  const failed = step.status === 'failed' || step.error !== null
  const noted = failed || step.child_id !== null || step.attempt > 1
  return (
    <span className="gantt-bars" aria-hidden="true" data-status={step.status}>
      {phases.map(({ kind, from, to }) => (
        <span
          key={from}
          className={`bar ${kind}`}
          title={`${say(PHASES[kind])} ${elapsed(to - from)}`}
          style={{
            insetInlineStart: `min(${place(from)}, calc(100% - 2px))`,
            inlineSize: `max(2px, calc(${place(to)} - ${place(from)}))`,
          }}
        />
      ))}
      {step.attempts.slice(1).map((attempt) => (
        <span
          key={attempt.attempt}
          className="bar again"
          style={{ insetInlineStart: `min(${place(Date.parse(attempt.started_at))}, calc(100% - 2px))` }}
        />
      ))}
      {noted && Number.isFinite(start) && (
        <span className="gantt-note" style={{ insetInlineStart: `min(${place(start)}, calc(100% - 44px))` }}>
          {step.child_id && <Icon name="build" />}
          {failed && <Icon name="warning" />}
          {step.attempt > 1 && `×${step.attempt}`}
        </span>
      )}
    </span>
  )
}

export const PHASES = { run: 'runs.phaseRun', wait: 'runs.phaseWait', queue: 'runs.phaseQueue' } as const

/** What the bar shows, for those who do not see it. */
function told(step: StepView): string {
  const took =
    step.started_at && step.ended_at ? elapsed(Date.parse(step.ended_at) - Date.parse(step.started_at)) : ''
  const tries = step.attempt > 1 ? say('runs.attempt', { attempt: step.attempt }) : ''
  return [sayStatus(step.status), took, tries].filter(Boolean).join(', ')
}
