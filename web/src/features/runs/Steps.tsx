import { Link } from '@tanstack/react-router'
import { duration, moment } from '@/kit/time'
import { Grown } from '@/ui/Grown'
import { StatusBadge } from '@/ui/StatusBadge'
import { Value } from '@/ui/Value'
import type { StepView, StepWait } from './reducer'

type Names = ReadonlyMap<string, string>

export function Steps({ steps, names }: { steps: readonly StepView[]; names: Names }) {
  return (
    <section className="stack tight" aria-labelledby="steps">
      <h2 id="steps">Steps</h2>
      {steps.length === 0 && <p className="quiet">No step has started yet.</p>}
      <ol className="steps">
        {steps.map((step) => (
          <li key={step.step_id}>
            <StepRow step={step} name={names.get(step.node_id) || step.node_id} />
          </li>
        ))}
      </ol>
    </section>
  )
}

const REASONS: { [kind: string]: string } = {
  child: 'Waits for the agent inside to give something or to end.',
  review: 'Waits for a person to decide.',
  retry: 'Failed, and will be tried again.',
  timer: 'Waits for a moment to come.',
}

function WaitsFor({ waiting }: { waiting: StepWait }) {
  return (
    <p>
      {REASONS[waiting.kind] ?? 'Waits for something to be sent.'}
      {waiting.due && <span className="quiet"> Due {moment(waiting.due)}.</span>}
    </p>
  )
}

function StepRow({ step, name }: { step: StepView; name: string }) {
  return (
    <details className="step">
      <summary>
        <span className="wraps-anywhere">
          {name}
          {step.attempt > 1 && <span className="quiet"> attempt {step.attempt}</span>}
        </span>
        <span className="end quiet small">{duration(step.started_at, step.ended_at)}</span>
        <StatusBadge status={step.status} />
      </summary>
      <div className="stack tight step-body">
        {step.waiting && <WaitsFor waiting={step.waiting} />}
        {step.child_id && (
          <Link to="/library/runs/$runId" params={{ runId: step.child_id }}>
            The run of the agent inside
          </Link>
        )}
        {step.error && <p className="bad">{step.error}</p>}
        {step.outputs.length === 0 && !step.error && !step.waiting && <p className="quiet">No output.</p>}
        <Grown of={step.outputs}>
          {(output) => (
            <div>
              <span className="quiet small">{output.pin}</span>
              <div>
                <Value value={output.value} />
              </div>
            </div>
          )}
        </Grown>
      </div>
    </details>
  )
}
