/** Whether what an output gives can be used by an input: the server's table of conversions, before anything runs. */
import { type Fields, fields, list } from '@/kit/json'

export type Fit = 'fits' | 'converts' | 'risky' | 'never'
/** `how` says what happens on the way; empty when nothing does. */
export type Judgement = { fit: Fit; how: Conversion | null }
export type Conversion =
  | 'as_text'
  | 'as_one_or_zero'
  | 'as_list_of_one'
  | 'as_pairs'
  | 'as_indexed'
  | 'as_value_object'
  | 'if_number'
  | 'if_whole'
  | 'if_yes_or_no'
  | 'if_one_of'
  | 'only_size'
  | 'only_nonzero'
  | 'if_each_item'
  | 'depends'
  | 'no_way'

const FITS: Judgement = { fit: 'fits', how: null }
const NEVER: Judgement = { fit: 'never', how: 'no_way' }

type Row = Readonly<Record<string, Judgement>>
const safe = (how: Conversion): Judgement => ({ fit: 'converts', how })
const risky = (how: Conversion): Judgement => ({ fit: 'risky', how })

const LIST = safe('as_list_of_one')
const OBJECT = safe('as_value_object')
const TEXT = safe('as_text')
const SIZE = risky('only_size')

/** From each JSON type to each. What is not here cannot be. */
const TABLE: Readonly<Record<string, Row>> = {
  string: {
    string: FITS,
    number: risky('if_number'),
    integer: risky('if_whole'),
    boolean: risky('if_yes_or_no'),
    array: LIST,
    object: OBJECT,
  },
  number: {
    string: TEXT,
    number: FITS,
    integer: risky('if_whole'),
    boolean: risky('only_nonzero'),
    array: LIST,
    object: OBJECT,
  },
  integer: {
    string: TEXT,
    number: FITS,
    integer: FITS,
    boolean: risky('only_nonzero'),
    array: LIST,
    object: OBJECT,
  },
  boolean: {
    string: TEXT,
    number: safe('as_one_or_zero'),
    integer: safe('as_one_or_zero'),
    boolean: FITS,
    array: LIST,
    object: OBJECT,
  },
  array: { string: TEXT, number: SIZE, integer: SIZE, array: FITS, object: safe('as_indexed') },
  object: { string: TEXT, number: SIZE, integer: SIZE, array: safe('as_pairs'), object: FITS },
}

const RANK: readonly Fit[] = ['fits', 'converts', 'risky', 'never']

/** What happens to a value of one JSON type in a pin of another. */
export function convert(from: string, to: string): Judgement {
  return TABLE[from]?.[to] ?? NEVER
}

/** The real alternatives of a schema, references followed and null left out; none means anything at all. */
export function alternatives(schema: Fields, root: Fields): Fields[] {
  const full = resolved(schema, root)
  const members = list(full.anyOf ?? full.oneOf)
  if (members.length === 0) {
    const types = Array.isArray(full.type) ? full.type : [full.type]
    return types.filter((type) => type !== 'null').map((type) => ({ ...full, type }))
  }
  return members.flatMap((member) => alternatives(fields(member), root))
}

export function resolved(schema: Fields, root: Fields): Fields {
  let full = schema
  for (let hops = 0; hops < 8 && typeof full.$ref === 'string'; hops++) {
    const { $ref, ...beside } = full
    full = { ...fields(fields(root.$defs)[String($ref).replace('#/$defs/', '')]), ...beside }
  }
  return full
}

/** The JSON types that a schema names, for people and for colours; empty when it takes anything. */
export function typesOf(schema: Fields, root: Fields): string[] {
  const types = alternatives(schema, root).map((one) => one.type ?? typeOfChoices(one))
  return types.some((type) => type === undefined) ? [] : [...new Set(types as string[])]
}

function typeOfChoices(schema: Fields): string | undefined {
  const [first] = 'const' in schema ? [schema.const] : list(schema.enum)
  return first === undefined ? undefined : typeof first
}

/** Every alternative of the output must find its best place among those of the input. */
export function judge(gives: Fields, givesRoot: Fields, takes: Fields, takesRoot: Fields): Judgement {
  const wanted = alternatives(takes, takesRoot)
  if (wanted.some(isAnything)) return FITS
  const given = alternatives(gives, givesRoot)
  if (given.length === 0 || given.some(isAnything)) return FITS // only the run can tell
  const found = given.map((one) => best(wanted.map((other) => pair(one, givesRoot, other, takesRoot))))
  if (found.every(({ fit }) => fit === 'never')) return NEVER
  const worst = found.reduce((a, b) => (RANK.indexOf(b.fit) > RANK.indexOf(a.fit) ? b : a))
  return worst.fit === 'never' ? risky('depends') : worst
}

function isAnything(schema: Fields): boolean {
  return schema.type === undefined && schema.enum === undefined && schema.const === undefined
}

function best(found: readonly Judgement[]): Judgement {
  return found.reduce((a, b) => (RANK.indexOf(b.fit) < RANK.indexOf(a.fit) ? b : a), NEVER)
}

function pair(from: Fields, fromRoot: Fields, to: Fields, toRoot: Fields): Judgement {
  const one = String(from.type ?? typeOfChoices(from))
  const other = String(to.type ?? typeOfChoices(to))
  const found = convert(one, other)
  if (found.fit === 'never') return found
  const [offered, allowed] = [choicesOf(from), choicesOf(to)]
  if (allowed !== null && !(offered?.every((choice) => allowed.includes(choice)) ?? false))
    return risky('if_one_of')
  if (one !== 'array' || other !== 'array') return found
  const items = judge(fields(from.items), fromRoot, fields(to.items), toRoot)
  return items.fit === 'fits' || items.fit === 'converts' ? FITS : risky('if_each_item')
}

function choicesOf(schema: Fields): readonly unknown[] | null {
  if ('const' in schema) return [schema.const]
  return Array.isArray(schema.enum) ? schema.enum : null
}
