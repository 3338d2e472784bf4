import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '@/api/shapes'
import { agentById } from '@/features/agents/queries'
import { dollars } from '@/kit/money'
import { say } from '@/kit/say'
import { duration } from '@/kit/time'
import { StatusBadge } from '@/ui/StatusBadge'
import { When } from '@/ui/When'
import { DryRunBadge, DryRunNote } from './DryRunMark'
import { Elapsed } from './Elapsed'
import { RunActions } from './RunActions'
import { WaitsFor } from './StepBody'
import type { LiveRun } from './useRun'

type Props = {
  title: string
  run: Schemas['RunOut']
  live: LiveRun
  onStep: (step_id: number) => void
}

const KNOWN: Record<string, () => string> = {
  api: () => say('runs.by.api'),
  agent: () => say('runs.by.agent'),
  autopilot: () => say('runs.by.autopilot'),
  cli: () => say('runs.by.cli'),
}

/** Who or what started it, in words. */
function begunBy(trigger: string): string {
  return KNOWN[trigger]?.() ?? say('runs.byTrigger', { trigger })
}

/** What a run is, how it stands, what it waits for, and what can be done with it. */
export function RunHead({ title, run, live, onStep }: Props) {
  const { log } = live
  const waiting = Object.values(log.steps).find((step) => step.waiting !== null)
  const failed =
    run.reason?.step_id ?? Object.values(log.steps).find((step) => step.status === 'failed')?.step_id
  const reason = log.reason ?? run.reason?.message
  return (
    <>
      <header>
        <h1>{title}</h1>
        <StatusBadge status={live.status ?? run.status} />
        {run.dry_run && <DryRunBadge />}
        <RunActions run={run} live={live} />
      </header>
      {run.dry_run && <DryRunNote mode={log.dry_run} />}
      <RunFacts run={run} live={live} />
      {log.ended_at === null && waiting && <WaitsFor step={waiting} />}
      {(reason || failed !== undefined) && log.ended_at !== null && (
        <div role={reason ? 'alert' : 'note'} className="problem">
          {reason && <strong>{reason}</strong>}
          {failed !== undefined && (
            <div>
              <button type="button" className="button plain" onClick={() => onStep(failed)}>
                {say('runs.jumpFailed')}
              </button>
            </div>
          )}
        </div>
      )}
    </>
  )
}

const ORIGINS = {
  rerun: 'runs.originRerun',
  fork: 'runs.originFork',
  replay: 'runs.originReplay',
} as const

function RunFacts({ run, live: { log } }: Pick<Props, 'run' | 'live'>) {
  const agent = useQuery(agentById(run.agent_id))
  const started_at = run.started_at ?? log.started_at
  const ended_at = run.ended_at ?? log.ended_at
  return (
    <p className="quiet facts">
      <Link to="/library/agents/$agentId" params={{ agentId: run.agent_id }}>
        {agent.data?.name || say('runs.agent')}
      </Link>
      <span>{say('runs.version', { version: run.version })}</span>
      <Link to="/build/$agentId" params={{ agentId: run.agent_id }} search={{ run: run.id }}>
        {say('runs.openInBuild')}
      </Link>
      {run.parent_id && (
        <Link to="/library/runs/$runId" params={{ runId: run.parent_id }}>
          {say('runs.partOf')}
        </Link>
      )}
      {run.origin && (
        <Link
          to="/library/runs/$runId"
          params={{ runId: run.origin.run_id }}
          search={run.origin.step_id === null ? {} : { step: run.origin.step_id }}
        >
          {say(ORIGINS[run.origin.kind])}
        </Link>
      )}
      <span>
        {say('runs.startedAt')} <When at={run.created_at} />
      </span>
      <span>{begunBy(run.trigger)}</span>
      {ended_at === null ? (
        started_at && <Elapsed since={started_at} />
      ) : (
        <span>{say('runs.tookTime', { time: duration(started_at, ended_at) })}</span>
      )}
      {log.cost_microdollars > 0 && (
        <span>{say('runs.cost', { amount: dollars(log.cost_microdollars) })}</span>
      )}
    </p>
  )
}
