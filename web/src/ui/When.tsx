import { ago, moment } from '@/kit/time'
import { useNow } from '@/kit/useNow'

/** A moment as a distance; the exact time on hover, and on focus for those who have no pointer. */
export function When({ at }: { at: string }) {
  const now = useNow()
  const exact = moment(at)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time must be reachable by keyboard
    <time className="when" dateTime={at} title={exact} data-exact={exact} tabIndex={0}>
      {ago(at, now)}
    </time>
  )
}
