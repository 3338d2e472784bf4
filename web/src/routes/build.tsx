import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { ImportAgent } from '@/features/agents/ImportAgent'
import { agentList, useCreateAgent } from '@/features/agents/queries'
import { say } from '@/kit/say'
import { useTitle } from '@/kit/useTitle'
import { Button } from '@/ui/Button'
import { ErrorPanel, SkeletonRows } from '@/ui/States'
import { When } from '@/ui/When'

const SHOWN = 8

export function BuildPage() {
  const { flowID, flowExecutionID, flowVersion } = useSearch({ from: '/build' })
  if (flowID === undefined) return <Begin />
  const search = {
    ...(flowVersion === undefined ? {} : { version: flowVersion }),
    ...(flowExecutionID === undefined ? {} : { run: flowExecutionID }),
  }
  return <Navigate to="/build/$agentId" params={{ agentId: flowID }} search={search} replace />
}

function Begin() {
  useTitle(say('shell.buildPage'))
  const create = useCreateAgent()
  const navigate = useNavigate()
  const { data, error, isPending, refetch } = useInfiniteQuery(agentList)
  const agents = data?.pages.flatMap((page) => page.items).slice(0, SHOWN) ?? []

  function blank() {
    create.mutate(
      { name: say('common.untitledAgent'), nodes: [], links: [] },
      { onSuccess: ({ id }) => void navigate({ to: '/build/$agentId', params: { agentId: id } }) },
    )
  }

  return (
    <div className="sheet">
      <header>
        <h1>{say('shell.buildPage')}</h1>
      </header>
      <div className="row wrap">
        <Link className="button" to="/">
          {say('shell.describe')}
        </Link>
        <Button look="plain" icon="plus" writes busy={create.isPending} onClick={blank}>
          {say('shell.blank')}
        </Button>
        <ImportAgent
          onImported={(agentId) => void navigate({ to: '/build/$agentId', params: { agentId } })}
        />
      </div>
      {create.error && <ErrorPanel problem={create.error} />}
      <h2>{say('shell.goOn')}</h2>
      {isPending && <SkeletonRows rows={4} />}
      {error && <ErrorPanel problem={error} onRetry={() => void refetch()} />}
      {data && agents.length === 0 && <p className="quiet">{say('shell.noneBuilt')}</p>}
      {agents.length > 0 && (
        <ul className="steps">
          {agents.map((agent) => (
            <li key={agent.id} className="row picked">
              <Link className="clip" to="/build/$agentId" params={{ agentId: agent.id }}>
                {agent.name || say('common.untitledAgent')}
              </Link>
              <span className="end quiet small">
                <When at={agent.updated_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
