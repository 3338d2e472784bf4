import { useQuery } from '@tanstack/react-query'
import { countOf, waitingReviews } from '@/features/runs/waiting'
import { say } from '@/kit/say'

/** How many things wait for the user: as many as Activity lists first. */
export function NeedsYouCount() {
  const { data } = useQuery(waitingReviews)
  if (data === undefined || data.items.length === 0) return null
  return (
    <span className="count">
      {countOf(data)}
      <span className="unseen"> {say('runs.needYou')}</span>
    </span>
  )
}
