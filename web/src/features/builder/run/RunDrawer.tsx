import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '@/api/shapes'
import { DryRunNote } from '@/features/runs/DryRunMark'
import { Elapsed } from '@/features/runs/Elapsed'
import { runById, useCancelRun } from '@/features/runs/queries'
import { RunForm } from '@/features/runs/RunForm'
import { RunOutputs } from '@/features/runs/RunOutputs'
import { UnreadLog } from '@/features/runs/UnreadLog'
import { type LiveRun, useLiveRun } from '@/features/runs/useRun'
import { dollars } from '@/kit/money'
import { say } from '@/kit/say'
import { duration } from '@/kit/time'
import { Button } from '@/ui/Button'
import { ErrorPanel, SkeletonRows } from '@/ui/States'
import { StatusBadge } from '@/ui/StatusBadge'

type Props = {
  agent: Schemas['AgentDetail']
  runId: string | null
  isDirty: boolean
  onSave: () => void
  onStarted: (run_id: string) => void
}

/** Start the agent from here and watch it on the canvas. */
export function RunDrawer({ agent, runId, isDirty, onSave, onStarted }: Props) {
  const records = useRecordsOf(runId)
  return (
    <section className="stack" aria-label={say('live.thisAgent')}>
      <h2>{say('live.run')}</h2>
      {isDirty ? (
        <>
          <p className="quiet">{say('live.unsaved')}</p>
          <div>
            <Button look="plain" writes onClick={onSave}>
              {say('live.saveFirst')}
            </Button>
          </div>
        </>
      ) : (
        <RunForm key={agent.content_hash} agent={agent} records={records} onStarted={onStarted} />
      )}
      {runId !== null && <RunResult key={runId} runId={runId} />}
    </section>
  )
}

/** The run that is looked at, once it has ended and if it was no dry run: its values can be given again. */
function useRecordsOf(runId: string | null): string | null {
  const { data: run } = useQuery({ ...runById(runId ?? ''), enabled: runId !== null })
  return run && run.ended_at !== null && !run.dry_run ? run.id : null
}

function RunResult({ runId }: { runId: string }) {
  const live = useLiveRun(runId)
  const { data: run } = useQuery(runById(runId))
  return (
    <div className="stack run-result">
      <div className="row wrap">
        <StatusBadge status={live.status ?? run?.status ?? 'queued'} />
        <Facts live={live} />
        <Link className="end" to="/library/runs/$runId" params={{ runId }}>
          {say('live.openRun')}
        </Link>
      </div>
      {run?.origin && (
        <Link to="/build/$agentId" params={{ agentId: run.agent_id }} search={{ run: run.origin.run_id }}>
          {say('again.goesBack')}
        </Link>
      )}
      {run?.dry_run && <DryRunNote mode={live.log.dry_run} />}
      {!live.over && live.status !== null && <StopRun runId={runId} />}
      {live.log.reason && <ErrorPanel problem={{ message: live.log.reason }} />}
      <UnreadLog live={live} />
      {live.standing === 'loading' && <SkeletonRows rows={2} />}
      {live.standing === 'read' && <RunOutputs runId={runId} results={live.log.results} over={live.over} />}
    </div>
  )
}

function Facts({ live: { log, over } }: { live: LiveRun }) {
  return (
    <span className="quiet small facts">
      {!over && log.started_at !== null && <Elapsed since={log.started_at} />}
      {over && <span>{say('live.took', { time: duration(log.started_at, log.ended_at) })}</span>}
      {log.cost_microdollars > 0 && (
        <span>{say('live.spent', { cost: dollars(log.cost_microdollars) })}</span>
      )}
    </span>
  )
}

function StopRun({ runId }: { runId: string }) {
  const cancel = useCancelRun(runId)
  const stopping = cancel.isPending || cancel.data?.cancelled === true
  return (
    <div>
      <Button look="danger" icon="stop" writes busy={stopping} onClick={() => cancel.mutate()}>
        {stopping ? say('live.stopping') : say('live.stop')}
      </Button>
      {cancel.error && <ErrorPanel problem={cancel.error} />}
    </div>
  )
}
