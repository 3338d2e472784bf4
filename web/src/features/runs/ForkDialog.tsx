import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { fields } from '@/kit/json'
import { say, sayCount } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { AreaField, CheckField } from '@/ui/Field'
import { ErrorPanel, SkeletonRows } from '@/ui/States'
import { forkPlan, useForkRun } from './queries'
import type { StepView } from './reducer'

type Props = { runId: string; step: StepView; name: string; onClose: () => void }

/** Go on from a step of an ended run, with other inputs if wanted. What would happen is told before. */
export function ForkDialog({ runId, step, name, onClose }: Props) {
  const { data, error, refetch } = useQuery(forkPlan(runId, step.step_id))
  return (
    <Dialog title={`${say('runs.fork')}: ${name}`} onClose={onClose}>
      {error && <ErrorPanel problem={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows rows={3} />}
      {data && <ForkForm runId={runId} step={step} plan={data} onClose={onClose} />}
    </Dialog>
  )
}

type FormProps = Omit<Props, 'name'> & { plan: Schemas['ForkPlan'] }

function ForkForm({ runId, step, plan, onClose }: FormProps) {
  const fork = useForkRun(runId)
  const navigate = useNavigate()
  const before = JSON.stringify(step.inputs ?? {}, null, 2)
  const [typed, setTyped] = useState(before)
  const [fault, setFault] = useState<string | undefined>()
  const [confirm, setConfirm] = useState(false)
  const repeats = plan.effects.count > 0

  function submit(event: FormEvent) {
    event.preventDefault()
    const inputs = changed(before, typed)
    setFault(inputs === null ? say('runs.notJson') : undefined)
    if (inputs === null) return
    const ask = { step: step.step_id, confirm, ...(Object.keys(inputs).length > 0 ? { inputs } : {}) }
    fork.mutate(ask, {
      onSuccess: ({ id }) => {
        onClose()
        void navigate({ to: '/library/runs/$runId', params: { runId: id } })
      },
    })
  }

  return (
    <form className="stack" onSubmit={submit}>
      <Plan plan={plan} />
      <AreaField
        label={say('runs.forkInputs')}
        className="input code"
        rows={5}
        value={typed}
        fault={fault}
        onChange={({ target }) => setTyped(target.value)}
      />
      {repeats && (
        <CheckField
          label={say('runs.forkConfirm')}
          checked={confirm}
          onChange={({ target }) => setConfirm(target.checked)}
        />
      )}
      {fork.error && <ErrorPanel problem={fork.error} />}
      <div className="actions">
        <Button look="plain" onClick={onClose}>
          {say('common.cancel')}
        </Button>
        <Button type="submit" icon="play" writes busy={fork.isPending} disabled={repeats && !confirm}>
          {say('runs.forkStart')}
        </Button>
      </div>
    </form>
  )
}

function Plan({ plan: { reused, again, effects } }: { plan: Schemas['ForkPlan'] }) {
  return (
    <ul className="steps changes">
      <li>{sayCount('runs.forkReused', reused.count)}</li>
      <li>{sayCount('runs.forkAgain', again.count)}</li>
      {effects.count > 0 && (
        <li className="bad">
          {sayCount('runs.forkEffects', effects.count)} {effects.steps.map((one) => one.node_id).join(', ')}
        </li>
      )}
    </ul>
  )
}

/** The pins whose values were changed; null when what was typed is not JSON. */
export function changed(before: string, typed: string): Record<string, unknown> | null {
  try {
    const was = fields(JSON.parse(before))
    const now = Object.entries(fields(JSON.parse(typed)))
    return Object.fromEntries(
      now.filter(([pin, value]) => JSON.stringify(was[pin]) !== JSON.stringify(value)),
    )
  } catch {
    return null // the field says so
  }
}
