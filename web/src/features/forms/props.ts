import type { Fields } from '@/kit/json'
import type { Shape } from './kinds'

type Shared = {
  name: string
  value: unknown
  fault?: string | undefined
  required?: boolean | undefined
  disabled?: boolean | undefined
  onChange: (value: unknown) => void
}

export type ValueFieldProps = Shared & {
  schema: Fields
  root: Fields
  label?: string | undefined
  help?: string | undefined
}

/** A field whose schema has been read. */
export type FieldProps = Shared & { shape: Shape; label: string; help: string | undefined }
