import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { agentList, agentNames } from '@/features/agents/queries'
import { say } from '@/kit/say'
import { ErrorPanel } from '@/ui/States'
import { When } from '@/ui/When'
import { waitingReviews } from './waiting'

/** What waits for the user, above all else that goes on. */
export function NeedsYou() {
  const { data, error, refetch } = useQuery(waitingReviews)
  const names = agentNames(useInfiniteQuery(agentList).data)
  if (error && data === undefined) return <ErrorPanel problem={error} onRetry={() => void refetch()} />
  if (data === undefined || data.items.length === 0) return null
  return (
    <section className="stack tight" aria-labelledby="needs-you">
      <h2 id="needs-you">{say('runs.needsYou')}</h2>
      <ul className="steps">
        {data.items.map((review) => (
          <li key={review.id} className="row wrap picked">
            <Link to="/library/runs/$runId" params={{ runId: review.run_id }}>
              {review.name || say('runs.waitReview')}
            </Link>
            <span className="end quiet small">
              {names.get(review.agent_id)} · <When at={review.created_at} />
            </span>
          </li>
        ))}
      </ul>
      {data.next_cursor !== null && <p className="quiet small">{say('runs.needsYouMore')}</p>}
    </section>
  )
}
