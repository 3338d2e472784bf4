import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem } from '@/api/errors'
import type { Schemas } from '@/api/shapes'
import { agentById } from '@/features/agents/queries'
import { useNodeNames } from '@/features/agents/useNodeNames'
import { say } from '@/kit/say'
import { useTitle } from '@/kit/useTitle'
import { AbsentPage, ErrorPanel, SkeletonRows } from '@/ui/States'
import { EmptyParts } from './EmptyParts'
import type { Jump } from './jump'
import { Reviews } from './Reviews'
import { RunHead } from './RunHead'
import { RunOutputs } from './RunOutputs'
import { RunSteps } from './RunSteps'
import { UnreadLog } from './UnreadLog'
import { useRun } from './useRun'
import type { StepsView } from './view'

type Props = { runId: string; view: StepsView; onView: (view: StepsView) => void }

export function RunPageView({ runId, view, onView }: Props) {
  const { run, live } = useRun(runId)
  const names = useNodeNames(run.data)
  const { title, loading } = useRunTitle(runId, run.data)
  // A step that the address names is brought into sight; the focus stays where the page put it.
  const [jump, setJump] = useState<Jump | null>(() =>
    view.step === undefined ? null : { step: view.step, focuses: false },
  )
  useTitle(title)
  if (run.isPending || (run.data && loading)) return <SkeletonRows />
  if (run.error instanceof ApiProblem && [404, 422].includes(run.error.status)) return <AbsentPage />
  if (run.error && !run.data) return <ErrorPanel problem={run.error} onRetry={() => void run.refetch()} />
  const jumpTo = (step: number) => {
    setJump({ step, focuses: true })
    onView({ ...view, step })
  }
  return (
    <>
      <RunHead title={title} run={run.data} live={live} onStep={jumpTo} />
      <UnreadLog live={live} />
      {live.standing === 'loading' && <SkeletonRows />}
      {live.standing === 'read' && (
        <>
          <Reviews key={runId} runId={runId} steps={Object.values(live.log.steps)} />
          <RunOutputs runId={runId} results={live.log.results} over={live.over} saves />
          <RunSteps
            runId={runId}
            log={live.log}
            created={run.data.created_at}
            names={names}
            view={view}
            onView={onView}
            jump={jump}
          />
        </>
      )}
      <EmptyParts run={run.data} names={names} />
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
