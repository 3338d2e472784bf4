import { Link } from '@tanstack/react-router'
import { say } from '@/kit/say'
import { moment } from '@/kit/time'
import { Grown } from '@/ui/Grown'
import { When } from '@/ui/When'
import { RenderedRunValue } from './RunValue'
import type { StepView } from './reducer'

const REASONS = {
  child: 'runs.waitChild',
  review: 'runs.waitReview',
  retry: 'runs.waitRetry',
  timer: 'runs.waitTimer',
} as const

/** What a step waits for, in words, and since when. */
export function WaitsFor({ step }: { step: StepView }) {
  const { waiting } = step
  if (waiting === null) return null
  const since = step.log.at(-1)?.at
  const reason = Object.hasOwn(REASONS, waiting.kind) ? REASONS[waiting.kind as keyof typeof REASONS] : null
  return (
    <p>
      {say(reason ?? 'runs.waitFact')}{' '}
      <span className="quiet">
        {since && (
          <>
            {say('runs.waitSince')} <When at={since} />.{' '}
          </>
        )}
        {waiting.due && say('runs.due', { time: moment(waiting.due) })}
      </span>
    </p>
  )
}

/** All that is known of one step: what it waits for, the run inside it, its attempts, why it failed, what it gave. */
export function StepBody({ runId, step }: { runId: string; step: StepView }) {
  const failures = step.attempts.filter((attempt) => attempt.error !== null && attempt.error !== step.error)
  return (
    <div className="stack tight step-body">
      <WaitsFor step={step} />
      {step.child_id && (
        <Link to="/library/runs/$runId" params={{ runId: step.child_id }}>
          {say('runs.childRun')}
        </Link>
      )}
      {failures.map(({ attempt, error }) => (
        <p key={attempt} className="quiet">
          {say('runs.attempt', { attempt })}: {error}
        </p>
      ))}
      {step.error && <p className="bad">{step.error}</p>}
      {step.outputs.length === 0 && !step.error && !step.waiting && (
        <p className="quiet">{say('runs.noOutput')}</p>
      )}
      <Grown of={step.outputs}>
        {(output) => (
          <div>
            <span className="quiet small">{output.pin}</span>
            <RenderedRunValue runId={runId} name={output.pin} value={output.value} />
          </div>
        )}
      </Grown>
    </div>
  )
}
