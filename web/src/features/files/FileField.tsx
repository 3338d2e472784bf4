import { useId, useRef } from 'react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { useUpload } from './queries'
import { referenceTo } from './reference'

type Props = {
  label: string
  name: string
  help?: string | undefined
  fault?: string | undefined
  optional?: boolean
  disabled?: boolean | undefined
  placeholder?: string | undefined
  value: string
  onChange: (value: string) => void
}

/** A file by its reference or its address; one from this computer is uploaded, and its reference put in. */
export function FileField({ help, fault, onChange, ...rest }: Props) {
  const id = useId()
  const chooser = useRef<HTMLInputElement>(null)
  const upload = useUpload()

  function take(file: File | undefined) {
    if (file) upload.mutate(file, { onSuccess: (kept) => onChange(referenceTo(kept)) })
  }

  return (
    <div className="stack tight">
      <Field
        {...rest}
        className="input clip"
        title={rest.value || undefined}
        help={[help, say('forms.file')].filter(Boolean).join(' ')}
        fault={upload.error?.message ?? fault}
        autoComplete="off"
        onChange={({ target }) => {
          upload.reset()
          onChange(target.value)
        }}
      />
      <div>
        <input
          ref={chooser}
          id={id}
          type="file"
          hidden
          aria-label={say('files.chooseFor', { label: rest.label })}
          onChange={({ target }) => {
            take(target.files?.[0])
            target.value = '' // the same file can be chosen again
          }}
        />
        <Button
          tiny
          look="plain"
          writes
          busy={upload.isPending}
          disabled={rest.disabled}
          onClick={() => chooser.current?.click()}
        >
          {say(upload.isPending ? 'files.uploading' : 'files.upload')}
          <span className="unseen"> {rest.label}</span>
        </Button>
      </div>
    </div>
  )
}
