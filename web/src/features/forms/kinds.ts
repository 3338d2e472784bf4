/** What kind of field a JSON Schema asks for. Pure. */
import { type Fields, fields, list, text } from '@/kit/json'

export type Kind =
  | 'text'
  | 'long'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'choice'
  | 'date'
  | 'time'
  | 'moment'
  | 'file'
  | 'list'
  | 'map'
  | 'object'
  | 'table'
  | 'union'
  | 'secret'
  | 'credential'
  | 'agent'
  | 'any'

/** A schema with its references followed, and the alternatives that it leaves but for null. */
export type Shape = { kind: Kind; schema: Fields; root: Fields; alternatives: readonly Fields[] }

const SCALARS: Record<string, Kind> = { number: 'number', integer: 'integer', boolean: 'boolean' }
const FORMATS: Record<string, Kind> = {
  'long-text': 'long',
  json: 'long',
  date: 'date',
  time: 'time',
  'date-time': 'moment',
  file: 'file',
  password: 'secret',
}

export function shapeOf(name: string, raw: Fields, root: Fields): Shape {
  const schema = followed(raw, root)
  const members = list(schema.anyOf ?? schema.oneOf).map((member) => followed(fields(member), root))
  const real = apart(members)
  const [only] = real
  const one = real.length === 1 && only !== undefined ? { ...only, ...described(schema) } : schema
  return { kind: kindOf(name, one, real), schema: one, root, alternatives: real }
}

function followed(raw: Fields, root: Fields): Fields {
  let schema = raw
  for (let hops = 0; hops < 8 && typeof schema.$ref === 'string'; hops++) {
    const { $ref, ...beside } = schema
    schema = { ...fields(fields(root.$defs)[String($ref).replace('#/$defs/', '')]), ...beside }
  }
  return schema
}

/** Nothing is no type to choose, and beside numbers whole ones are none either. */
function apart(members: readonly Fields[]): Fields[] {
  const numbers = members.some((member) => member.type === 'number')
  return members.filter(({ type }) => type !== 'null' && !(numbers && type === 'integer'))
}

/** What stands beside a choice of types describes the one that is left. */
function described({ anyOf: _, oneOf: __, ...rest }: Fields): Fields {
  return rest
}

function kindOf(name: string, schema: Fields, alternatives: readonly Fields[]): Kind {
  if (name === 'credentials' || name.endsWith('_credentials')) return 'credential'
  if (schema.secret === true) return 'secret'
  if (name === 'graph_id') return 'agent'
  if (list(schema.enum).length > 0 || 'const' in schema) return 'choice'
  if (alternatives.length > 1) return 'union'
  const [type] = list(schema.type).length > 0 ? list(schema.type) : [schema.type]
  if (type === 'string') return FORMATS[text(schema.format) ?? ''] ?? 'text'
  if (type === 'array') return isTable(schema) ? 'table' : 'list'
  if (type === 'object') return Object.keys(fields(schema.properties)).length > 0 ? 'object' : 'map'
  return SCALARS[String(type)] ?? 'any'
}

function isTable(schema: Fields): boolean {
  const items = fields(schema.items)
  return schema.format === 'table' || items.type === 'object'
}

/** Which of several types a value is of, by its mark if it wears one; the first when it is of none. */
export function alternativeFor(value: unknown, alternatives: readonly Fields[]): number {
  const marked = alternatives.findIndex((one) => discriminated(value, one))
  if (marked >= 0) return marked
  const type = typeOf(value)
  const found = alternatives.findIndex(
    (one) => one.type === type || (type === 'integer' && one.type === 'number'),
  )
  return Math.max(0, found)
}

function discriminated(value: unknown, schema: Fields): boolean {
  const marks = Object.entries(marksOf(schema))
  return marks.length > 0 && marks.every(([key, mark]) => fields(value)[key] === mark)
}

/** What an object always says of itself, and by which it is told from others. */
export function marksOf(schema: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields(schema.properties))
      .filter(([, part]) => 'const' in fields(part))
      .map(([key, part]) => [key, fields(part).const]),
  )
}

/** The alternative in use. While there is no value, it begins with what the choice of types begins with. */
export function chosenOf({ schema, alternatives }: Shape, at: number, value: unknown): Fields {
  const chosen = alternatives[at] ?? {}
  const start = schema.default ?? undefined
  return start !== undefined && (value ?? undefined) === undefined ? { ...chosen, default: start } : chosen
}

export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

/** A value to begin with when somebody asks for another of these. */
export function blankFor(name: string, raw: Fields, root: Fields): unknown {
  const { kind, schema } = shapeOf(name, raw, root)
  if (schema.default !== undefined && schema.default !== null) return schema.default
  if ('const' in schema) return schema.const
  if (kind === 'list' || kind === 'table') return []
  if (kind === 'map') return {}
  if (kind === 'object') return marksOf(schema)
  if (kind === 'boolean') return false
  if (kind === 'number' || kind === 'integer') return 0
  return ''
}

/** The name of a type, for the choice between several. */
export function typeName(schema: Fields): string {
  return text(schema.title) ?? text(schema.type) ?? 'value'
}
