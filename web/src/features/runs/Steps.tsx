import { useState } from 'react'
import { say } from '@/kit/say'
import { duration } from '@/kit/time'
import { More } from '@/ui/More'
import { StatusBadge } from '@/ui/StatusBadge'
import type { StepView } from './reducer'
import { StepBody } from './StepBody'

const PAGE = 200

type Names = ReadonlyMap<string, string>
type Props = { steps: readonly StepView[]; names: Names; chosen: number | null }

/** The steps one below the other; each opens to all that is known of it. */
export function Steps({ steps, names, chosen }: Props) {
  const [most, setMost] = useState(PAGE)
  return (
    <>
      <ol className="steps" aria-label={say('runs.steps')}>
        {steps.slice(0, most).map((step) => (
          <li key={step.step_id}>
            <details className="step" open={chosen === step.step_id || undefined}>
              <summary>
                <span className="wraps-anywhere">
                  {names.get(step.node_id) || step.node_id}
                  {step.attempt > 1 && (
                    <span className="quiet"> {say('runs.attempt', { attempt: step.attempt })}</span>
                  )}
                </span>
                <span className="end quiet small">{duration(step.started_at, step.ended_at)}</span>
                <StatusBadge status={step.status} />
              </summary>
              <StepBody step={step} />
            </details>
          </li>
        ))}
      </ol>
      <More there={steps.length > most} busy={false} onMore={() => setMost(most + PAGE)} />
    </>
  )
}
