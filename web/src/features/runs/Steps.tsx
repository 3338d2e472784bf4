import { type ReactNode, useState } from 'react'
import { say } from '@/kit/say'
import { duration } from '@/kit/time'
import { More } from '@/ui/More'
import { StatusBadge } from '@/ui/StatusBadge'
import { type Jump, leastShown } from './jump'
import type { StepView } from './reducer'
import { StepBody } from './StepBody'

const PAGE = 200

type Row = {
  runId: string
  titleOf: (node_id: string) => string
  /** What can be done with a step. */
  actions: (step: StepView) => ReactNode
}
type Props = Row & { steps: readonly StepView[]; chosen: number | null; jump: Jump | null }

/** The steps one below the other; each opens to all that is known of it. */
export function Steps({ steps, chosen, jump, ...row }: Props) {
  const [most, setMost] = useState(PAGE)
  const shown = leastShown(steps, most, [chosen, jump?.step ?? null])
  return (
    <>
      <ol className="steps" aria-label={say('runs.steps')}>
        {steps.slice(0, shown).map((step) => (
          <li key={step.step_id}>
            <StepRow step={step} isChosen={chosen === step.step_id} {...row} />
          </li>
        ))}
      </ol>
      <More there={steps.length > shown} busy={false} onMore={() => setMost(shown + PAGE)} />
    </>
  )
}

function StepRow({ runId, step, isChosen, titleOf, actions }: Row & { step: StepView; isChosen: boolean }) {
  const [open, setOpen] = useState(false)
  return (
    <details
      className="step"
      open={isChosen || undefined}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary data-step={step.step_id}>
        <span className="wraps-anywhere">
          {titleOf(step.node_id)}
          {step.attempt > 1 && (
            <span className="quiet"> {say('runs.attempt', { attempt: step.attempt })}</span>
          )}
          {step.recorded && <span className="badge">{say('runs.reused')}</span>}
        </span>
        <span className="end quiet small">{duration(step.started_at, step.ended_at)}</span>
        <StatusBadge status={step.status} />
      </summary>
      {open && <div className="step-actions">{actions(step)}</div>}
      <StepBody runId={runId} step={step} />
    </details>
  )
}
