import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ApiProblem } from '@/api/errors'
import { AgentSettings } from '@/features/agents/AgentSettings'
import { agentById } from '@/features/agents/queries'
import { Versions } from '@/features/agents/Versions'
import { AgentHead } from '@/features/library/AgentHead'
import { RunForm } from '@/features/runs/RunForm'
import { RunTable } from '@/features/runs/RunTable'
import { say } from '@/kit/say'
import { useTitle } from '@/kit/useTitle'
import { AbsentPage, ErrorPanel, SkeletonRows } from '@/ui/States'
import { Tabs } from '@/ui/Tabs'

const TABS = [
  [undefined, 'agents.tabRuns'],
  ['versions', 'agents.tabVersions'],
  ['settings', 'agents.tabSettings'],
] as const

export function AgentPage() {
  const { agentId } = useParams({ from: '/library/agents/$agentId' })
  const { tab, ...view } = useSearch({ from: '/library/agents/$agentId' })
  const navigate = useNavigate()
  const { data, error, isPending, refetch } = useQuery(agentById(agentId))
  useTitle(data?.name || say('agents.page'))
  if (error instanceof ApiProblem && [404, 422].includes(error.status)) return <AbsentPage />

  return (
    <div className="sheet">
      <AgentHead agentId={agentId} agent={data} />
      {isPending && <SkeletonRows rows={3} />}
      {error && <ErrorPanel problem={error} onRetry={() => void refetch()} />}
      {data?.description && <p className="quiet">{data.description}</p>}
      {data && (
        <div className="columns">
          <section className="panel stack" aria-labelledby="new-run">
            <h2 id="new-run">{say('agents.newRun')}</h2>
            <RunForm
              agent={data}
              onStarted={(runId) => void navigate({ to: '/library/runs/$runId', params: { runId } })}
            />
          </section>
          <div className="stack">
            <Tabs label={say('agents.tabs')}>
              {TABS.map(([name, words]) => (
                <Link
                  key={words}
                  to="/library/agents/$agentId"
                  params={{ agentId }}
                  search={name ? { tab: name } : {}}
                  activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
                >
                  {say(words)}
                </Link>
              ))}
            </Tabs>
            {tab === 'versions' && <Versions agent={data} />}
            {tab === 'settings' && <AgentSettings agentId={agentId} />}
            {tab === undefined && (
              <RunTable
                agentId={agentId}
                view={view}
                onView={(search) =>
                  void navigate({
                    to: '/library/agents/$agentId',
                    params: { agentId },
                    search,
                  })
                }
              />
            )}
          </div>
        </div>
      )}
    </div>
  )
}
