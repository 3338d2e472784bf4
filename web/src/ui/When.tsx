import { ago, moment } from '@/kit/time'
import { useNow } from '@/kit/useNow'

/** A moment as a distance; the exact time on hover. */
export function When({ at }: { at: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={moment(at)}>
      {ago(at, now)}
    </time>
  )
}
