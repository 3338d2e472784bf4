import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { say, sayCount } from '@/kit/say'
import { elapsed } from '@/kit/time'
import { useNow } from '@/kit/useNow'
import { StatusBadge } from '@/ui/StatusBadge'
import { Gantt } from './Gantt'
import { type Jump, useJump } from './jump'
import type { RunView, StepView } from './reducer'
import { goesOn, StepActions } from './StepActions'
import { StepBody } from './StepBody'
import { Steps } from './Steps'
import { phasesOf, sharesOf } from './timeline'
import type { StepsView } from './view'

type Props = {
  runId: string
  log: RunView
  created: string
  names: ReadonlyMap<string, string>
  view: StepsView
  onView: (view: StepsView) => void
  jump: Jump | null
}

/** The steps of a run in time, or one below the other: the same steps, the same words. */
export function RunSteps({ runId, log, created, names, view, onView, jump }: Props) {
  const place = useRef<HTMLElement>(null)
  useJump(place, jump)
  const going = log.ended_at === null
  const now = useNow(1_000, going)
  const steps = Object.values(log.steps)
  const from = Date.parse(created)
  const to = Math.max(from + 1, log.ended_at === null ? now : Date.parse(log.ended_at))
  const chosen = view.step === undefined ? undefined : log.steps[view.step]
  const choose = (step: number) => onView(view.step === step ? without(view) : { ...view, step })
  const titleOf = (node_id: string) => names.get(node_id) || node_id
  const actionsOf = useActions(runId, goesOn(log), titleOf)
  return (
    <section ref={place} className="stack tight" aria-labelledby="steps">
      <div className="row wrap">
        <h2 id="steps">{say('runs.steps')}</h2>
        <Choice view={view} onView={onView} />
        {steps.length > 0 && <Shares steps={steps} from={from} to={to} />}
      </div>
      {log.takeovers.length > 0 && (
        <p className="quiet" role="note">
          {sayCount('runs.takeovers', log.takeovers.length)}
        </p>
      )}
      {steps.length === 0 && <p className="quiet">{say('runs.noSteps')}</p>}
      {steps.length > 0 && view.view === 'list' && (
        <Steps
          runId={runId}
          steps={steps}
          titleOf={titleOf}
          chosen={view.step ?? null}
          jump={jump}
          actions={actionsOf}
        />
      )}
      {steps.length > 0 && view.view !== 'list' && (
        <>
          <Gantt
            steps={steps}
            titleOf={titleOf}
            from={from}
            to={to}
            takeovers={log.takeovers}
            chosen={view.step ?? null}
            jump={jump}
            onChoose={choose}
          />
          {chosen && (
            <ChosenStep
              runId={runId}
              step={chosen}
              name={titleOf(chosen.node_id)}
              actions={actionsOf(chosen)}
            />
          )}
        </>
      )}
    </section>
  )
}

function without({ step: _, ...rest }: StepsView): StepsView {
  return rest
}

function Choice({ view, onView }: Pick<Props, 'view' | 'onView'>) {
  const list = view.view === 'list'
  return (
    <div className="choices" role="radiogroup" aria-label={say('runs.stepsView')}>
      {([false, true] as const).map((one) => (
        <label key={String(one)}>
          <input
            type="radio"
            name="steps-view"
            checked={list === one}
            onChange={() => onView(one ? { ...view, view: 'list' } : listless(view))}
          />
          {say(one ? 'runs.list' : 'runs.timeline')}
        </label>
      ))}
    </div>
  )
}

function listless({ view: _, ...rest }: StepsView): StepsView {
  return rest
}

function Shares({ steps, from, to }: { steps: readonly StepView[]; from: number; to: number }) {
  const shares = sharesOf(
    steps.flatMap((step) => phasesOf(step, to)),
    from,
    to,
  )
  return (
    <span className="quiet small end">
      {say('runs.shares', {
        run: elapsed(shares.run),
        wait: elapsed(shares.wait),
        queue: elapsed(shares.queue),
      })}
    </span>
  )
}

/** What can be done with a step of this run, in the list as in the timeline. */
function useActions(runId: string, canGoOn: boolean, titleOf: (node_id: string) => string) {
  const navigate = useNavigate()
  const open = (started: string) => void navigate({ to: '/library/runs/$runId', params: { runId: started } })
  return (step: StepView): ReactNode =>
    canGoOn && step.started_at && <StepActions runId={runId} step={step} titleOf={titleOf} onStarted={open} />
}

type ChosenProps = { runId: string; step: StepView; name: string; actions: ReactNode }

function ChosenStep({ runId, step, name, actions }: ChosenProps) {
  return (
    <section className="panel stack tight" aria-label={name}>
      <div className="row wrap">
        <h3 className="wraps-anywhere">{name}</h3>
        {step.recorded && <span className="badge">{say('runs.reused')}</span>}
        <span className="end">
          <StatusBadge status={step.status} />
        </span>
        {actions}
      </div>
      <StepBody runId={runId} step={step} />
    </section>
  )
}
