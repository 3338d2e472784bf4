import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { ApiProblem } from '@/api/errors'
import { agentById } from '@/features/agents/queries'
import { Versions } from '@/features/agents/Versions'
import { runsOf } from '@/features/runs/queries'
import { RunForm } from '@/features/runs/RunForm'
import { RunRows } from '@/features/runs/RunTable'
import { say } from '@/kit/say'
import { useTitle } from '@/kit/useTitle'
import { AbsentPage, ErrorPanel, SkeletonRows } from '@/ui/States'

export function AgentPage() {
  const { agentId } = useParams({ from: '/library/agents/$agentId' })
  const navigate = useNavigate()
  const { data, error, isPending, refetch } = useQuery(agentById(agentId))
  useTitle(data?.name ?? 'Agent')
  if (error instanceof ApiProblem && [404, 422].includes(error.status)) return <AbsentPage />

  return (
    <div className="sheet">
      <header>
        <h1>{data?.name || 'Agent'}</h1>
        <div className="row end">
          <a className="button plain" href={`/api/agents/${agentId}/export`} download>
            {say('agents.export')}
          </a>
          <Link className="button plain" to="/build/$agentId" params={{ agentId }}>
            Open in Build
          </Link>
        </div>
      </header>
      {isPending && <SkeletonRows rows={3} />}
      {error && <ErrorPanel problem={error} onRetry={() => void refetch()} />}
      {data?.description && <p className="quiet">{data.description}</p>}
      {data && (
        <div className="columns">
          <section className="panel stack" aria-labelledby="new-run">
            <h2 id="new-run">New run</h2>
            <RunForm
              agent={data}
              onStarted={(runId) => void navigate({ to: '/library/runs/$runId', params: { runId } })}
            />
          </section>
          <div className="stack">
            <RecentRuns agentId={agentId} name={data.name} />
            <Versions agent={data} />
          </div>
        </div>
      )}
    </div>
  )
}

function RecentRuns({ agentId, name }: { agentId: string; name: string }) {
  const { data, error, refetch } = useQuery(runsOf(agentId))
  return (
    <section className="stack tight" aria-labelledby="recent-runs">
      <h2 id="recent-runs">Recent runs</h2>
      {error && <ErrorPanel problem={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <SkeletonRows rows={3} />}
      {data?.items.length === 0 && <p className="quiet">It has not run yet.</p>}
      {data && data.items.length > 0 && <RunRows runs={data.items} agents={new Map([[agentId, name]])} />}
    </section>
  )
}
