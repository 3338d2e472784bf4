import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { RunValue } from '@/features/runs/RunValue'
import type { StepView } from '@/features/runs/reducer'
import { goesOn } from '@/features/runs/StepActions'
import { UnreadLog } from '@/features/runs/UnreadLog'
import { useLiveRun } from '@/features/runs/useRun'
import { dollars } from '@/kit/money'
import { say, sayIfKnown } from '@/kit/say'
import { duration, moment } from '@/kit/time'
import { inWords } from '@/kit/words'
import { Button } from '@/ui/Button'
import { Grown } from '@/ui/Grown'
import { StatusBadge } from '@/ui/StatusBadge'

type Props = {
  runId: string
  nodeId: string
  title: string
  step: number | null
  onStep: (step_id: number) => void
  onBack: () => void
  /** What can be done with the step when the run has ended. */
  actions?: (step: StepView) => ReactNode
}

/** What one step of the run was given, what it gave, and how that went. */
export function StepInspector({ runId, nodeId, title, step, onStep, onBack, actions }: Props) {
  const live = useLiveRun(runId)
  const { log, standing } = live
  const steps = Object.values(log.steps).filter((one) => one.node_id === nodeId)
  const place = Math.max(0, step === null ? steps.length - 1 : steps.findIndex((one) => one.step_id === step))
  const shown = steps[place]
  return (
    <section className="stack inspector" aria-label={say('live.result')}>
      <div className="row">
        <Button look="ghost" icon="left" aria-label={say('live.back')} onClick={onBack} />
        <h2 className="wraps-anywhere">{title}</h2>
      </div>
      <UnreadLog live={live} />
      {shown === undefined && standing === 'read' && <p className="quiet">{say('live.notReached')}</p>}
      {shown !== undefined && (
        <>
          {steps.length > 1 && <StepPager steps={steps} place={place} onStep={onStep} />}
          <Facts step={shown} />
          {shown.child_id && (
            <Link to="/library/runs/$runId" params={{ runId: shown.child_id }}>
              {say('live.childRun')}
            </Link>
          )}
          {shown.error && (
            <div>
              <h3>{say('live.error')}</h3>
              <p className="bad wraps-anywhere">{shown.error}</p>
            </div>
          )}
          {goesOn(log) && actions?.(shown)}
          <Outputs runId={runId} step={shown} />
          <Inputs runId={runId} step={shown} />
          <Attempts step={shown} />
          <Log step={shown} />
        </>
      )}
    </section>
  )
}

type PagerProps = { steps: readonly StepView[]; place: number; onStep: (step_id: number) => void }

function StepPager({ steps, place, onStep }: PagerProps) {
  const turn = (to: number) => {
    const step = steps[to]
    if (step !== undefined) onStep(step.step_id)
  }
  return (
    <div className="row">
      <Button
        look="ghost"
        icon="left"
        aria-label={say('live.step.earlier')}
        disabled={place === 0}
        onClick={() => turn(place - 1)}
      />
      <span>{say('live.of', { place: place + 1, count: steps.length })}</span>
      <Button
        look="ghost"
        icon="right"
        aria-label={say('live.step.later')}
        disabled={place === steps.length - 1}
        onClick={() => turn(place + 1)}
      />
    </div>
  )
}

function Facts({ step }: { step: StepView }) {
  const took = duration(step.started_at, step.ended_at)
  return (
    <div className="row wrap">
      <StatusBadge status={step.recorded ? 'recorded' : step.status} />
      {took !== '' && <span className="quiet">{say('live.took', { time: took })}</span>}
      {step.cost_microdollars > 0 && (
        <span className="quiet">{say('live.costs', { cost: dollars(step.cost_microdollars) })}</span>
      )}
    </div>
  )
}

function Outputs({ runId, step }: { runId: string; step: StepView }) {
  return (
    <div>
      <h3>{say('live.outputs')}</h3>
      {step.outputs.length === 0 && <p className="quiet">{say('live.outputs.none')}</p>}
      <dl className="values">
        <Grown of={step.outputs}>
          {(output) => (
            <div>
              <dt>{output.pin}</dt>
              <dd>
                <RunValue runId={runId} value={output.value} />
              </dd>
            </div>
          )}
        </Grown>
      </dl>
    </div>
  )
}

function Inputs({ runId, step }: { runId: string; step: StepView }) {
  const given = Object.entries(step.inputs ?? {})
  return (
    <div>
      <h3>{say('live.inputs')}</h3>
      {given.length === 0 && <p className="quiet">{say('live.inputs.none')}</p>}
      <dl className="values">
        {given.map(([pin, value]) => (
          <div key={pin}>
            <dt>{pin}</dt>
            <dd>
              <RunValue runId={runId} value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function Attempts({ step }: { step: StepView }) {
  return (
    <div>
      <h3>{say('live.attempts')}</h3>
      <dl className="pairs">
        <Grown of={step.attempts}>
          {(one) => (
            <>
              <dt>{say('live.attempt', { count: one.attempt })}</dt>
              <dd>
                <time dateTime={one.started_at}>{moment(one.started_at)}</time>{' '}
                <span className="quiet">{duration(one.started_at, one.ended_at)}</span>
                {one.error && <p className="bad wraps-anywhere">{one.error}</p>}
              </dd>
            </>
          )}
        </Grown>
      </dl>
    </div>
  )
}

function Log({ step }: { step: StepView }) {
  return (
    <details>
      <summary>{say('live.log')}</summary>
      <ol className="moments">
        <Grown of={step.log}>
          {(one) => (
            <li>
              <time className="quiet" dateTime={one.at} title={moment(one.at)}>
                {one.at.slice(11, 23)}
              </time>
              <span className="wraps-anywhere">
                {sayIfKnown(`live.moment.${one.type}`) ?? inWords(one.type)} {one.said}
              </span>
            </li>
          )}
        </Grown>
      </ol>
    </details>
  )
}
