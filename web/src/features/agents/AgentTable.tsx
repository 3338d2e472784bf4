import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '@/ui/Button'
import { ScrollFrame } from '@/ui/ScrollFrame'
import { EmptyState, ErrorPanel, SkeletonRows } from '@/ui/States'
import { When } from '@/ui/When'
import { agentList } from './queries'

export function AgentTable() {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(agentList)
  if (isPending) return <SkeletonRows />
  if (error) return <ErrorPanel problem={error} onRetry={() => void refetch()} />
  const agents = data.pages.flatMap((page) => page.items)
  if (agents.length === 0) return <NoAgents />

  return (
    <>
      <ScrollFrame className="table-frame" aria-label="Agents">
        <table>
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col" className="spare">
                Steps
              </th>
              <th scope="col" className="spare">
                Version
              </th>
              <th scope="col">Changed</th>
            </tr>
          </thead>
          <tbody>
            {agents.map((agent) => (
              <tr key={agent.id}>
                <td className="wide">
                  <Link to="/library/agents/$agentId" params={{ agentId: agent.id }}>
                    {agent.name || 'Untitled agent'}
                  </Link>{' '}
                  <span className="quiet">{agent.description}</span>
                </td>
                <td className="spare">{agent.node_count}</td>
                <td className="spare">{agent.active_version}</td>
                <td>
                  <When at={agent.updated_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollFrame>
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

function NoAgents() {
  return (
    <EmptyState icon="library" title="No agents yet">
      <p className="quiet">
        An agent is a graph of blocks that does a piece of work, again and again. Describe one to AutoPilot
        and it is built here.
      </p>
      <Link className="button" to="/">
        Ask AutoPilot
      </Link>
    </EmptyState>
  )
}
