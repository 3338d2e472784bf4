import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { AreaField, CheckField } from '@/ui/Field'
import { ErrorPanel, SkeletonRows } from '@/ui/States'
import { type ForkPlan, forkPlan, useForkRun } from './again'
import { editableInputs, editedInputs, NotJson } from './edited'
import type { StepView } from './reducer'

type Props = {
  runId: string
  step: StepView
  /** Whether the step's inputs are edited first. */
  edits: boolean
  /** What a node is called. */
  titleOf: (node_id: string) => string
  onStarted: (run_id: string) => void
  onClose: () => void
}

/** Go on from a step of an ended run. What that reuses, does again and repeats outside is said before it happens. */
export function ForkDialog({ runId, step, edits, titleOf, onStarted, onClose }: Props) {
  const plan = useQuery({ ...forkPlan(runId, step.step_id), gcTime: 0 })
  const fork = useForkRun(runId)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [fault, setFault] = useState<string | null>(null)
  const [confirmed, setConfirmed] = useState(false)
  const inputs = edits ? editableInputs(step.inputs) : []
  const repeats = (plan.data?.effects.count ?? 0) > 0

  function submit(event: FormEvent) {
    event.preventDefault()
    try {
      setFault(null)
      const changed = edits ? editedInputs(inputs, typed) : null
      fork.mutate(
        { step: step.step_id, inputs: changed, confirm: confirmed },
        { onSuccess: (run) => onStarted(run.id) },
      )
    } catch (problem) {
      if (!(problem instanceof NotJson)) throw problem
      setFault(problem.pin)
    }
  }

  return (
    <Dialog title={edits ? say('again.fork') : say('again.from')} wide onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {inputs.map(({ pin, words, isText }) => (
          <AreaField
            key={pin}
            label={pin}
            className={isText ? 'input' : 'input code'}
            value={typed[pin] ?? words}
            fault={fault === pin ? say('again.notJson') : undefined}
            onChange={(event) => setTyped((before) => ({ ...before, [pin]: event.target.value }))}
          />
        ))}
        {edits && inputs.length === 0 && <p className="quiet">{say('again.nothingToEdit')}</p>}
        {plan.isPending && <SkeletonRows rows={3} />}
        {plan.error && <ErrorPanel problem={plan.error} onRetry={() => void plan.refetch()} />}
        {plan.data && <Plan plan={plan.data} titleOf={titleOf} />}
        {repeats && (
          <CheckField
            label={say('again.confirm')}
            checked={confirmed}
            onChange={(event) => setConfirmed(event.target.checked)}
          />
        )}
        {fork.error && <ErrorPanel problem={fork.error} />}
        <div className="actions">
          <Button look="plain" onClick={onClose}>
            {say('common.cancel')}
          </Button>
          <Button
            type="submit"
            icon="play"
            writes
            busy={fork.isPending}
            disabled={!plan.data || (repeats && !confirmed)}
          >
            {say('again.start')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Plan({ plan, titleOf }: { plan: ForkPlan; titleOf: (node_id: string) => string }) {
  return (
    <section className="stack tight" aria-label={say('again.plan')}>
      <Planned title={say('again.reused')} part={plan.reused} titleOf={titleOf} />
      <Planned title={say('again.again')} part={plan.again} titleOf={titleOf} />
      <Planned title={say('again.effects')} part={plan.effects} titleOf={titleOf} />
    </section>
  )
}

type PlannedProps = {
  title: string
  part: ForkPlan['reused']
  titleOf: (node_id: string) => string
}

function Planned({ title, part, titleOf }: PlannedProps) {
  const more = part.count - part.steps.length
  return (
    <div>
      <h3>
        {title} <span className="quiet">{part.count}</span>
      </h3>
      {part.count === 0 && <p className="quiet">{say('again.none')}</p>}
      <ul className="plan-steps" aria-label={title}>
        {part.steps.map((step) => (
          <li key={step.step_id}>{titleOf(step.node_id)}</li>
        ))}
      </ul>
      {more > 0 && <p className="quiet">{say('again.more', { count: more })}</p>}
    </div>
  )
}
