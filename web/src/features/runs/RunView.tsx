import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ApiProblem } from '@/api/errors'
import type { Schemas } from '@/api/shapes'
import { agentById } from '@/features/agents/queries'
import { duration } from '@/kit/time'
import { Button } from '@/ui/Button'
import { AbsentPage, ErrorPanel, SkeletonRows } from '@/ui/States'
import { StatusBadge } from '@/ui/StatusBadge'
import { When } from '@/ui/When'
import { Elapsed } from './Elapsed'
import { useCancelRun } from './queries'
import { Reviews } from './Reviews'
import { RunOutputs } from './RunOutputs'
import { Steps } from './Steps'
import { type LiveRun, useRun } from './useRun'

export function RunPageView({ runId }: { runId: string }) {
  const { run, live } = useRun(runId)
  const names = useNodeNames(run.data)
  if (run.isPending) return <SkeletonRows />
  if (run.error instanceof ApiProblem && [404, 422].includes(run.error.status)) return <AbsentPage />
  if (run.error) return <ErrorPanel problem={run.error} onRetry={() => void run.refetch()} />
  const reason = live.log.reason ?? run.data.reason?.message
  const steps = Object.values(live.log.steps)
  return (
    <>
      <RunHead run={run.data} live={live} />
      {reason && <ErrorPanel problem={{ message: reason }} />}
      <Reviews runId={runId} steps={steps} />
      <RunOutputs results={live.log.results} over={live.over} />
      <Steps steps={steps} names={names} />
    </>
  )
}

/** What the steps' nodes are called in the version that ran. */
function useNodeNames(run: Schemas['RunOut'] | undefined): ReadonlyMap<string, string> {
  const agent = useQuery({ ...agentById(run?.agent_id ?? '', run?.version), enabled: run !== undefined })
  return new Map(agent.data?.graph.nodes?.map((node) => [node.id, node.name ?? '']))
}

function RunHead({ run, live }: { run: Schemas['RunOut']; live: LiveRun }) {
  const agent = useQuery(agentById(run.agent_id))
  const cancel = useCancelRun(run.id)
  const started_at = run.started_at ?? live.log.started_at
  const ended_at = run.ended_at ?? live.log.ended_at
  return (
    <>
      <header>
        <h1>Run</h1>
        <StatusBadge status={live.status ?? run.status} />
        {ended_at === null && (
          <Button
            className="end"
            look="danger"
            icon="stop"
            writes
            busy={cancel.isPending || cancel.data?.cancelled === true}
            onClick={() => cancel.mutate()}
          >
            {cancel.isPending || cancel.data?.cancelled ? 'Stopping' : 'Stop'}
          </Button>
        )}
      </header>
      <p className="quiet facts">
        <Link to="/library/agents/$agentId" params={{ agentId: run.agent_id }}>
          {agent.data?.name || 'Agent'}
        </Link>
        <span>version {run.version}</span>
        {run.parent_id && (
          <Link to="/library/runs/$runId" params={{ runId: run.parent_id }}>
            part of another run
          </Link>
        )}
        <span>
          started <When at={run.created_at} />
        </span>
        <span>by {run.trigger}</span>
        {ended_at === null ? (
          started_at && <Elapsed since={started_at} />
        ) : (
          <span>took {duration(started_at, ended_at)}</span>
        )}
      </p>
      {cancel.error && <ErrorPanel problem={cancel.error} />}
    </>
  )
}
