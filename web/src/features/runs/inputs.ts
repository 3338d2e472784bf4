/** An agent's inputs as fields of a form, and what was typed as values. Pure. */

export type InputField = {
  name: string
  label: string
  help: string | undefined
  kind: 'text' | 'number' | 'integer' | 'boolean' | 'json'
  required: boolean
  initial: string
}

type Schema = { [key: string]: unknown }

export function fieldsOf(schema: Schema): InputField[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  return Object.entries(record(schema.properties)).map(([name, raw]) => {
    const field = record(raw)
    return {
      name,
      label: typeof field.title === 'string' ? field.title : name,
      help: typeof field.description === 'string' ? field.description : undefined,
      kind: kindOf(field),
      required: required.has(name),
      initial: initialOf(field.default),
    }
  })
}

const KINDS: Record<string, InputField['kind']> = {
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
}

/** A type beside null is that type: an input left empty is simply not sent. */
function kindOf(field: Schema): InputField['kind'] {
  const choices = Array.isArray(field.anyOf) ? field.anyOf.map(record) : [field]
  const types = choices.map((choice) => choice.type).filter((type) => type !== 'null')
  const [only] = types
  return (types.length === 1 && typeof only === 'string' ? KINDS[only] : undefined) ?? 'json'
}

function initialOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What is left empty is not sent, unless it is text that was asked for. Throws with the label of a bad value. */
export function valuesOf(fields: InputField[], typed: Record<string, string>): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const field of fields) {
    const text = typed[field.name] ?? ''
    if (text === '' && !(field.kind === 'text' && field.required)) continue
    values[field.name] = read(field, text)
  }
  return values
}

function read(field: InputField, text: string): unknown {
  if (field.kind === 'text') return text
  if (field.kind === 'boolean') return text === 'true'
  if (field.kind === 'json') return parse(field, text)
  const number = Number(text)
  if (Number.isNaN(number) || (field.kind === 'integer' && !Number.isInteger(number))) {
    throw new Error(`${field.label}: a ${field.kind === 'integer' ? 'whole ' : ''}number is needed.`)
  }
  return number
}

/** A field that takes anything: JSON when it is JSON, else the text itself. */
function parse(field: InputField, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    if (/^\s*[[{]/.test(text)) throw new Error(`${field.label}: this is not valid JSON.`)
    return text
  }
}

function record(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? (value as Schema) : {}
}
