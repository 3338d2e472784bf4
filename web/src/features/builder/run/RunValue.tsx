import { fields, number, text } from '@/kit/json'
import { say } from '@/kit/say'
import { Value } from '@/ui/Value'

type Large = { hash: string; bytes: number; preview: string }

/** A value that the log only shows the beginning of. */
export function largeValue(value: unknown): Large | null {
  const { $value, bytes, preview } = fields(value)
  const hash = text($value)
  const size = number(bytes)
  if (hash === null || size === null || !/^[\da-f]{64}$/.test(hash)) return null
  return { hash, bytes: size, preview: text(preview) ?? '' }
}

/** A value of a run; one that is too large for its log opens as a file. */
export function RunValue({ runId, value }: { runId: string; value: unknown }) {
  const large = largeValue(value)
  if (large === null) return <Value value={value} />
  return (
    <>
      <Value value={`${large.preview}…`} />
      <a href={`/api/runs/${runId}/values/${large.hash}`} target="_blank" rel="noopener noreferrer">
        {say('live.openFile', { size: sizeOf(large.bytes) })}
      </a>
    </>
  )
}

function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
