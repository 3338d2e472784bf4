import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '@/api/shapes'
import { agentList, agentNames } from '@/features/agents/queries'
import { duration } from '@/kit/time'
import { Button } from '@/ui/Button'
import { ScrollFrame } from '@/ui/ScrollFrame'
import { EmptyState, ErrorPanel, SkeletonRows } from '@/ui/States'
import { StatusBadge } from '@/ui/StatusBadge'
import { When } from '@/ui/When'
import { runList } from './queries'

export function RunTable() {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(runList)
  const agents = agentNames(useInfiniteQuery(agentList).data)
  if (isPending) return <SkeletonRows />
  if (error) return <ErrorPanel problem={error} onRetry={() => void refetch()} />
  const runs = data.pages.flatMap((page) => page.items)
  if (runs.length === 0) return <NoRuns />

  return (
    <>
      <RunRows runs={runs} agents={agents} />
      {hasNextPage && (
        <div>
          <Button look="plain" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            More
          </Button>
        </div>
      )}
    </>
  )
}

type Run = Schemas['RunList']['items'][number]
type RowsProps = { runs: readonly Run[]; agents: ReadonlyMap<string, string> }

export function RunRows({ runs, agents }: RowsProps) {
  return (
    <ScrollFrame className="table-frame" aria-label="Runs">
      <table>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Status</th>
            <th scope="col">Started</th>
            <th scope="col" className="spare">
              Took
            </th>
            <th scope="col" className="spare">
              By
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <td className="wide whole">
                <Link to="/library/runs/$runId" params={{ runId: run.id }}>
                  {agents.get(run.agent_id) || 'Run'} <span className="quiet">{run.id.slice(-6)}</span>
                </Link>
              </td>
              <td>
                <StatusBadge status={run.status} />
              </td>
              <td>
                <When at={run.created_at} />
              </td>
              <td className="spare">{duration(run.started_at, run.ended_at)}</td>
              <td className="spare">{run.trigger}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollFrame>
  )
}

function NoRuns() {
  return (
    <EmptyState icon="activity" title="Nothing has run yet">
      <p className="quiet">
        Every run of an agent is listed here with its steps and outputs, also after a restart.
      </p>
      <Link className="button" to="/library">
        Run an agent
      </Link>
    </EmptyState>
  )
}
