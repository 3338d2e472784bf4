import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { duration, moment } from '@/kit/time'
import { Button } from '@/ui/Button'
import { Empty, Failure, Loading } from '@/ui/Notice'
import { Status } from '@/ui/Status'
import { runList } from './queries'

export function RunTable() {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(runList)
  if (isPending) return <Loading />
  if (error) return <Failure problem={error} onRetry={() => void refetch()} />
  const runs = data.pages.flatMap((page) => page.items)
  if (runs.length === 0) {
    return (
      <Empty title="No runs yet">
        <p>
          A run is one time that an agent works. Open one of your <Link to="/">agents</Link> and start it, or
          use <code>pilothouse run</code>.
        </p>
      </Empty>
    )
  }

  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">Started</th>
            <th scope="col">Status</th>
            <th scope="col">Took</th>
            <th scope="col">By</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <td>
                <Link to="/runs/$runId" params={{ runId: run.id }}>
                  {moment(run.created_at)}
                </Link>
              </td>
              <td>
                <Status status={run.status} />
              </td>
              <td>{duration(run.started_at, run.ended_at)}</td>
              <td>{run.trigger}</td>
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
