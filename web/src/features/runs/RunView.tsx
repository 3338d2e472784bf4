import { useQuery } from '@tanstack/react-query'
import { ApiProblem } from '@/api/errors'
import type { Schemas } from '@/api/shapes'
import { agentById } from '@/features/agents/queries'
import { say } from '@/kit/say'
import { useTitle } from '@/kit/useTitle'
import { AbsentPage, ErrorPanel, SkeletonRows } from '@/ui/States'
import { Reviews } from './Reviews'
import { RunHead } from './RunHead'
import { RunOutputs } from './RunOutputs'
import { RunSteps } from './RunSteps'
import { useRun } from './useRun'
import type { StepsView } from './view'

type Props = { runId: string; view: StepsView; onView: (view: StepsView) => void }

export function RunPageView({ runId, view, onView }: Props) {
  const { run, live } = useRun(runId)
  const names = useNodeNames(run.data)
  const { title, loading } = useRunTitle(runId, run.data)
  useTitle(title)
  if (run.isPending || (run.data && loading)) return <SkeletonRows />
  if (run.error instanceof ApiProblem && [404, 422].includes(run.error.status)) return <AbsentPage />
  if (run.error && !run.data) return <ErrorPanel problem={run.error} onRetry={() => void run.refetch()} />
  return (
    <>
      <RunHead title={title} run={run.data} live={live} onStep={(step) => onView({ ...view, step })} />
      {live.loading ? (
        <SkeletonRows />
      ) : (
        <>
          <Reviews key={runId} runId={runId} steps={Object.values(live.log.steps)} />
          <RunOutputs runId={runId} results={live.log.results} over={live.over} />
          <RunSteps
            runId={runId}
            log={live.log}
            created={run.data.created_at}
            names={names}
            view={view}
            onView={onView}
          />
        </>
      )}
    </>
  )
}

/** The run by its agent's name; until that is known, or when the agent is gone, by its own end of an id. */
function useRunTitle(runId: string, run: Schemas['RunOut'] | undefined) {
  const agent = useQuery({ ...agentById(run?.agent_id ?? ''), enabled: run !== undefined })
  const id = runId.slice(-6)
  const name = agent.data?.name
  return {
    title: name ? say('runs.titled', { agent: name, id }) : say('runs.nth', { id }),
    loading: agent.isLoading && agent.failureCount === 0,
  }
}

/** What the nodes are called in the version that runs. */
function useNodeNames(run: Schemas['RunOut'] | undefined): ReadonlyMap<string, string> {
  const agent = useQuery({ ...agentById(run?.agent_id ?? '', run?.version), enabled: run !== undefined })
  return new Map(agent.data?.graph.nodes?.map((node) => [node.id, node.name ?? '']))
}
