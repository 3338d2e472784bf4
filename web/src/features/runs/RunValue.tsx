import { FileOrValue, KeptFile } from '@/features/files/FileValue'
import { referenceIn, sizeIn } from '@/features/files/reference'
import { say } from '@/kit/say'
import { CopyButton } from '@/ui/CopyButton'
import { sourceOf } from '@/ui/render/kinds'
import { Rendered } from '@/ui/render/Rendered'
import { Value } from '@/ui/Value'
import { type LargePart, largeParts, largeValue, previewed } from './large'
import { addressOfValue, copiedWhole } from './whole'

type Props = { runId: string; value: unknown }

/** A value of a run; what of it is too large for the log is shown by its beginning and opens as a file. */
export function RunValue({ runId, value }: Props) {
  const file = referenceIn(value)
  if (file !== null) return <KeptFile reference={file} />
  return (
    <>
      <Value value={previewed(value)} />
      <Wholes runId={runId} parts={largeParts(value)} />
    </>
  )
}

/** The same as it is best read, and a way to copy it: always the whole, whatever the log has of it. */
export function RenderedRunValue({ runId, name, value }: Props & { name: string }) {
  const parts = largeParts(value)
  if (parts.length === 0) return <FileOrValue name={name} value={value} />
  const copied = copiedWhole(runId, value, sourceOf)
  if (largeValue(value) === null) {
    return (
      <div className="stack tight">
        <Rendered name={name} value={previewed(value)} copied={copied} />
        <Wholes runId={runId} parts={parts} />
      </div>
    )
  }
  // The beginning of a table or of code is not rendered as one: it would pass for the whole.
  return (
    <div className="rendered" data-kind="large">
      <div className="rendered-body">
        <RunValue runId={runId} value={value} />
      </div>
      <CopyButton text={copied} label={say('common.copyNamed', { name })} />
    </div>
  )
}

function Wholes({ runId, parts }: { runId: string; parts: readonly LargePart[] }) {
  return parts.map(({ hash, bytes, path }) => (
    <a
      key={path.join('.')}
      className="wraps-anywhere whole-value"
      href={addressOfValue(runId, hash)}
      target="_blank"
      rel="noopener noreferrer"
    >
      {path.length === 0
        ? say('live.openFile', { size: sizeIn(bytes) })
        : say('live.openPart', { part: path.join('.'), size: sizeIn(bytes) })}
    </a>
  ))
}
