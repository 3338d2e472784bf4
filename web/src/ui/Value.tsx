import { say } from '@/kit/say'
import { ScrollFrame } from './ScrollFrame'

/** Any JSON value: text as text, the rest as it is written. */
export function Value({ value }: { value: unknown }) {
  if (typeof value === 'string') return <span className="value">{value}</span>
  if (value === null || typeof value === 'number' || typeof value === 'boolean') {
    return <code className="value">{String(value)}</code>
  }
  return (
    <ScrollFrame className="value code" aria-label={say('common.value')}>
      {JSON.stringify(value, null, 2)}
    </ScrollFrame>
  )
}
