import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { AreaField, Field } from '@/ui/Field'
import { ErrorPanel } from '@/ui/States'
import { asEdited, decisionOf } from './decision'
import { reviewsOf, useDecideReviews } from './queries'
import type { StepView } from './reducer'

/** What the run waits to hear from a person. */
export function Reviews({ runId, steps }: { runId: string; steps: readonly StepView[] }) {
  const asked = steps.flatMap((step) => step.waiting?.review_id ?? [])
  const inside = steps.some((step) => step.waiting?.kind === 'child')
  const { data, error, refetch } = useQuery(reviewsOf(runId, asked.join(' '), inside))
  const waiting =
    data?.items.filter((review) => (review.run_id === runId ? asked.includes(review.id) : inside)) ?? []
  if (asked.length === 0 && waiting.length === 0) return null
  return (
    <section className="stack" aria-labelledby="reviews">
      <h2 id="reviews">{say('runs.waitingForYou')}</h2>
      {error && <ErrorPanel problem={error} onRetry={() => void refetch()} />}
      {waiting.map((review) => (
        <ReviewPanel key={review.id} review={review} runId={runId} />
      ))}
    </section>
  )
}

function ReviewPanel({ review, runId }: { review: Schemas['ReviewOut']; runId: string }) {
  const decide = useDecideReviews(runId)
  const [edited, setEdited] = useState(() => asEdited(review.payload))
  const [message, setMessage] = useState('')
  const [fault, setFault] = useState<string | undefined>()

  function answer(approved: boolean) {
    try {
      setFault(undefined)
      decide.mutate(decisionOf(review, approved, edited, message))
    } catch (problem) {
      setFault(problem instanceof Error ? problem.message : String(problem))
    }
  }

  return (
    <form
      className="panel stack review"
      aria-label={review.name}
      onSubmit={(event) => event.preventDefault()}
    >
      <h3>{review.name}</h3>
      {review.run_id !== runId && (
        <p className="quiet">
          {say('runs.askedBy')}{' '}
          <Link to="/library/runs/$runId" params={{ runId: review.run_id }}>
            {say('runs.askedByInside')}
          </Link>
          .
        </p>
      )}
      {review.instructions && <p className="quiet">{review.instructions}</p>}
      <AreaField
        label={say(review.editable ? 'runs.whatIsAskedEditable' : 'runs.whatIsAsked')}
        className="input code"
        rows={rowsFor(edited)}
        value={edited}
        readOnly={!review.editable}
        fault={fault}
        onChange={(event) => setEdited(event.target.value)}
      />
      <Field
        label={say('runs.message')}
        optional
        value={message}
        onChange={(event) => setMessage(event.target.value)}
      />
      {decide.error && <ErrorPanel problem={decide.error} />}
      <div className="row">
        <Button icon="check" writes busy={decide.isPending} onClick={() => answer(true)}>
          {say('runs.approve')}
        </Button>
        <Button look="danger" icon="close" writes busy={decide.isPending} onClick={() => answer(false)}>
          {say('runs.reject')}
        </Button>
      </div>
    </form>
  )
}

/** As high as what is asked, within reason; a line more invites to write. */
function rowsFor(text: string): number {
  return Math.min(14, Math.max(3, text.split('\n').length + 1))
}
