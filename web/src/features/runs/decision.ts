import type { Schemas } from '@/api/shapes'

type Review = Schemas['ReviewOut']

/** A payload as a person edits it: text as it is, the rest as JSON. */
export function asEdited(payload: unknown): string {
  return typeof payload === 'string' ? payload : JSON.stringify(payload, null, 2)
}

/**
 * What a person decided. The payload is sent along only when it was changed: then what was approved is what is sent,
 * else what was asked. Throws a `SyntaxError` when it should be JSON and is not.
 */
export function decisionOf(
  review: Review,
  approved: boolean,
  edited: string,
  message: string,
): Schemas['ReviewAnswerIn'] {
  const changed = approved && review.editable && edited !== asEdited(review.payload)
  const data = typeof review.payload === 'string' ? edited : changed ? JSON.parse(edited) : null
  return {
    review_id: review.id,
    payload_hash: review.payload_hash,
    approved,
    rest_of_node: false,
    ...(message.trim() ? { message: message.trim() } : {}),
    ...(changed ? { data } : {}),
  }
}
