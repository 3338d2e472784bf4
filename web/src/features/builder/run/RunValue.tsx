import { KeptFile } from '@/features/files/FileValue'
import { referenceIn, sizeIn } from '@/features/files/reference'
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
  const file = referenceIn(value)
  if (file !== null) return <KeptFile reference={file} />
  if (large === null) return <Value value={value} />
  return (
    <>
      <Value value={`${large.preview}…`} />
      <a href={`/api/runs/${runId}/values/${large.hash}`} target="_blank" rel="noopener noreferrer">
        {say('live.openFile', { size: sizeIn(large.bytes) })}
      </a>
    </>
  )
}
