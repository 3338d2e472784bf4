import { useQuery } from '@tanstack/react-query'
import { say } from '@/kit/say'
import { CopyButton } from '@/ui/CopyButton'
import { Rendered } from '@/ui/render/Rendered'
import { fileById } from './queries'
import { addressOf, isPicture, type Reference, referenceIn, sizeIn } from './reference'

/** A value as it is best read; one that names a file of the workspace as that file. */
export function FileOrValue({ name, value }: { name: string; value: unknown }) {
  const reference = referenceIn(value)
  if (reference === null) return <Rendered name={name} value={value} />
  return (
    <div className="rendered" data-kind="file">
      <div className="rendered-body">
        <KeptFile reference={reference} />
      </div>
      <CopyButton text={String(value)} label={say('common.copyNamed', { name })} />
    </div>
  )
}

/** A file to open or save, and a picture of it where it is one. */
export function KeptFile({ reference: { id, type } }: { reference: Reference }) {
  const { data: file, error } = useQuery(fileById(id))
  if (error) {
    return (
      <span className="value">
        {id} <span className="quiet">{say('files.gone')}</span>
      </span>
    )
  }
  const shown = !file?.type_mismatch && isPicture(file?.mime_type ?? type)
  const name = file?.name ?? say('files.file')
  return (
    <div className="stack tight">
      {file && shown && <img className="rendered-image" src={addressOf(id)} alt={name} />}
      <span className="row wrap">
        <a className="wraps-anywhere" href={addressOf(id)} target="_blank" rel="noopener noreferrer">
          {name}
        </a>
        {file && (
          <span className="quiet small">
            {file.mime_type}, {sizeIn(file.size_bytes)}
          </span>
        )}
      </span>
    </div>
  )
}
