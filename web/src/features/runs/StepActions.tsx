import { useState } from 'react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { ForkDialog } from './ForkDialog'
import type { RunView, StepView } from './reducer'

type Props = {
  runId: string
  step: StepView
  titleOf: (node_id: string) => string
  onStarted: (run_id: string) => void
}

/** Whether a run can go on from one of its steps: a replay knows only what was recorded. */
export function goesOn(log: RunView): boolean {
  return log.ended_at !== null && log.dry_run !== 'replay'
}

/** What can be done with a step of a run that has ended. */
export function StepActions({ runId, step, titleOf, onStarted }: Props) {
  const [asking, ask] = useState<'again' | 'fork' | null>(null)
  return (
    <div className="row wrap">
      <Button tiny look="plain" icon="play" writes onClick={() => ask('again')}>
        {say('again.from')}
      </Button>
      <Button tiny look="plain" icon="edit" writes onClick={() => ask('fork')}>
        {say('again.fork')}
      </Button>
      {asking !== null && (
        <ForkDialog
          runId={runId}
          step={step}
          edits={asking === 'fork'}
          titleOf={titleOf}
          onClose={() => ask(null)}
          onStarted={(run) => {
            ask(null)
            onStarted(run)
          }}
        />
      )}
    </div>
  )
}
