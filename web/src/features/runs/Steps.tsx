import { duration } from '@/kit/time'
import { Grown } from '@/ui/Grown'
import { StatusBadge } from '@/ui/StatusBadge'
import { Value } from '@/ui/Value'
import type { StepView } from './reducer'

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

function StepRow({ step, name }: { step: StepView; name: string }) {
  return (
    <details className="step">
      <summary>
        <span className="clip">
          {name}
          {step.attempt > 1 && <span className="quiet"> attempt {step.attempt}</span>}
        </span>
        <span className="end quiet small">{duration(step.started_at, step.ended_at)}</span>
        <StatusBadge status={step.status} />
      </summary>
      <div className="stack tight step-body">
        {step.error && <p className="bad">{step.error}</p>}
        {step.outputs.length === 0 && !step.error && <p className="quiet">No output.</p>}
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
