/** A JSON Schema's properties as fields of a form, and what was typed as values. Pure. */
import { type Fields, fields, list, text } from '@/kit/json'
import { say } from '@/kit/say'
import { holdsRounded, isRounded } from './rounded'

export type FieldKind =
  | 'text'
  | 'long'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'choice'
  | 'date'
  | 'time'
  | 'file'
  | 'json'

export type InputField = {
  name: string
  label: string
  help: string | undefined
  kind: FieldKind
  required: boolean
  initial: string
  choices: readonly string[]
}

export function fieldsOf(schema: Fields): InputField[] {
  const required = new Set(list(schema.required))
  return Object.entries(fields(schema.properties)).map(([name, raw]) =>
    fieldOf(name, fields(raw), required.has(name)),
  )
}

export function fieldOf(name: string, schema: Fields, required: boolean): InputField {
  const choices = choicesOf(schema)
  return {
    name,
    label: text(schema.title) ?? name,
    help: text(schema.description) ?? undefined,
    kind: choices.length > 0 ? 'choice' : kindOf(schema),
    required,
    initial: written(schema.default),
    choices,
  }
}

function choicesOf(schema: Fields): string[] {
  const values = list(schema.enum)
  return values.every((value) => typeof value === 'string') ? (values as string[]) : []
}

const KINDS: Record<string, FieldKind> = {
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
}
const FORMATS: Record<string, FieldKind> = { 'long-text': 'long', date: 'date', time: 'time', file: 'file' }

/** A type beside null is that type: an input left empty is simply not sent. */
function kindOf(schema: Fields): FieldKind {
  const choices = Array.isArray(schema.anyOf) ? schema.anyOf.map(fields) : [schema]
  const real = choices.filter((choice) => choice.type !== 'null')
  const [only] = real
  if (real.length !== 1 || only === undefined) return 'json'
  const kind = KINDS[String(only.type)] ?? 'json'
  return kind === 'text' ? (FORMATS[String(schema.format ?? only.format)] ?? 'text') : kind
}

/** A value as it stands in a field. */
export function written(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const PLAIN = new Set<FieldKind>(['text', 'long', 'choice', 'date', 'time', 'file'])

/** What is left empty is not sent, unless it is text that was asked for. Throws with the label of a bad value. */
export function valuesOf(
  form: readonly InputField[],
  typed: Record<string, string>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const field of form) {
    const words = typed[field.name] ?? ''
    const asked = (field.kind === 'text' || field.kind === 'long') && field.required
    if (words === '' && !asked) continue
    values[field.name] = valueIn(field, words)
  }
  return values
}

/** One field's text as a value. Throws with the field's label. */
export function valueIn(field: InputField, words: string): unknown {
  if (PLAIN.has(field.kind)) return words
  if (field.kind === 'boolean') return words === 'true'
  if (field.kind === 'json') return parse(field, words)
  const number = Number(words)
  if (Number.isNaN(number) || (field.kind === 'integer' && !Number.isInteger(number))) {
    throw new Error(`${field.label}: a ${field.kind === 'integer' ? 'whole ' : ''}number is needed.`)
  }
  if (isRounded(words)) throw new Error(`${field.label}: ${say('forms.large')}`)
  return number
}

/** A field that takes anything: JSON when it is JSON, else the text itself. A number that JSON would change is text. */
function parse(field: InputField, words: string): unknown {
  if (isRounded(words)) return words
  const value = parsed(field, words)
  if (value !== words && holdsRounded(words)) {
    throw new Error(`${field.label}: ${say('forms.large_inside')}`)
  }
  return value
}

function parsed(field: InputField, words: string): unknown {
  try {
    return JSON.parse(words)
  } catch {
    if (/^\s*[[{]/.test(words)) throw new Error(`${field.label}: this is not valid JSON.`)
    return words
  }
}
