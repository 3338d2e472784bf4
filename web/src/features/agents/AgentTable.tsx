import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { moment } from '@/kit/time'
import { Button } from '@/ui/Button'
import { Empty, Failure, Loading } from '@/ui/Notice'
import { agentList } from './queries'

export function AgentTable() {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(agentList)
  if (isPending) return <Loading />
  if (error) return <Failure problem={error} onRetry={() => void refetch()} />
  const agents = data.pages.flatMap((page) => page.items)
  if (agents.length === 0) return <NoAgents />

  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col">Version</th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {agents.map((agent) => (
            <tr key={agent.id}>
              <td>
                <Link to="/agents/$agentId" params={{ agentId: agent.id }}>
                  {agent.name}
                </Link>
                <div className="quiet">{agent.description}</div>
              </td>
              <td>{agent.active_version}</td>
              <td>{moment(agent.updated_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {hasNextPage && (
        <Button plain busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          More
        </Button>
      )}
    </>
  )
}

function NoAgents() {
  return (
    <Empty title="No agents yet">
      <p>
        An agent is a graph of blocks that does a piece of work. Write one as JSON and bring it in with{' '}
        <code>pilothouse import my-agent.json</code>, or send it to <code>POST /api/agents</code>.
      </p>
    </Empty>
  )
}
