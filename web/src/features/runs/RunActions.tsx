import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Menu } from '@/ui/Menu'
import { remove } from '@/ui/removals'
import { toastProblem } from '@/ui/toasts'
import { useReplayRun } from './again'
import { CompareDialog } from './CompareDialog'
import { deleteRuns, useCancelRun, useRerunRun } from './queries'
import { RerunDialog } from './RerunDialog'
import type { StepView } from './reducer'
import type { LiveRun } from './useRun'

type Props = { run: Schemas['RunOut']; live: LiveRun }

/** Stop what runs; run again, replay, compare or delete what has ended. */
export function RunActions({ run, live }: Props) {
  const ended = run.ended_at !== null || live.log.ended_at !== null
  return ended ? <Afterwards run={run} /> : <Stop run={run} steps={Object.values(live.log.steps)} />
}

function Stop({ run, steps }: { run: Schemas['RunOut']; steps: readonly StepView[] }) {
  const cancel = useCancelRun(run.id)
  const [asking, setAsking] = useState(false)
  const inside = steps.flatMap(({ child_id, ended_at }) => (child_id && ended_at === null ? [child_id] : []))
  const stopping = cancel.isPending || cancel.data?.cancelled === true
  const stop = () => cancel.mutate(undefined, { onError: toastProblem })
  return (
    <>
      <Button
        className="end"
        look="danger"
        icon="stop"
        writes
        busy={stopping}
        onClick={() => (inside.length > 0 ? setAsking(true) : stop())}
      >
        {say(stopping ? 'runs.stopping' : 'runs.stop')}
      </Button>
      {asking && (
        <Dialog title={say('runs.stopTitle')} onClose={() => setAsking(false)}>
          <p>{say('runs.stopInside')}</p>
          <ul>
            {inside.map((id) => (
              <li key={id}>
                <Link to="/library/runs/$runId" params={{ runId: id }}>
                  {say('runs.nth', { id: id.slice(-6) })}
                </Link>
              </li>
            ))}
          </ul>
          <div className="actions">
            <Button look="plain" autoFocus onClick={() => setAsking(false)}>
              {say('runs.keep')}
            </Button>
            <Button
              look="danger"
              writes
              onClick={() => {
                setAsking(false)
                stop()
              }}
            >
              {say('runs.stop')}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}

function Afterwards({ run }: { run: Schemas['RunOut'] }) {
  const navigate = useNavigate()
  const cache = useQueryClient()
  const rerun = useRerunRun()
  const replay = useReplayRun()
  const [open, setOpen] = useState<'changes' | 'compare' | null>(null)
  const close = () => setOpen(null)
  const go = (runId: string) => void navigate({ to: '/library/runs/$runId', params: { runId } })

  function deleteIt() {
    remove({
      ids: [run.id],
      said: say('runs.deletedRun'),
      send: () => deleteRuns([run.id]),
      settled: () => void cache.invalidateQueries({ queryKey: ['runs', 'of'] }),
    })
    void navigate({ to: '/library/agents/$agentId', params: { agentId: run.agent_id } })
  }

  return (
    <span className="row end">
      <Button
        look="plain"
        icon="play"
        writes
        busy={rerun.isPending}
        onClick={() => rerun.mutate(run.id, { onSuccess: ({ id }) => go(id), onError: toastProblem })}
      >
        {say('runs.again')}
      </Button>
      <Menu
        label={say('runs.menu')}
        items={[
          { label: say('runs.againChanged'), icon: 'edit', writes: true, act: () => setOpen('changes') },
          {
            label: say('runs.replay'),
            icon: 'clock',
            writes: true,
            act: () => replay.mutate(run.id, { onSuccess: ({ id }) => go(id), onError: toastProblem }),
          },
          { label: say('runs.compareWith'), icon: 'list', act: () => setOpen('compare') },
          { label: say('common.delete'), icon: 'trash', danger: true, writes: true, act: deleteIt },
        ]}
      />
      {open === 'changes' && <RerunDialog run={run} onClose={close} onStarted={go} />}
      {open === 'compare' && <CompareDialog run={run} onClose={close} />}
    </span>
  )
}
