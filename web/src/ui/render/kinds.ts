import { fields, list } from '@/kit/json'

/** How a value is best read. What nothing else fits is `json`, or `text` when it is text. */
export type Kind = 'markdown' | 'table' | 'code' | 'json' | 'image' | 'text'

export type Sheet = { heads: readonly string[]; rows: readonly (readonly string[])[] }

const MARKDOWN =
  /^#{1,6} \S|^\s*[-*] \S.*\n\s*[-*] \S|\*\*\S[^*]*\*\*|^```|^\|.+\|\s*\n\|[ :|-]+\||\[[^\]]+\]\(\S+\)/m
const CODE = /^(#!|import |from \S+ import |def |class |function |const |let |<\?xml|<!doctype|SELECT )/i
const IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/
const MOST_READ = 200_000 // longer texts are not searched for signs of a format

export function kindOf(value: unknown): Kind {
  if (typeof value !== 'string') return sheetOf(value) ? 'table' : 'json'
  if (IMAGE.test(value)) return 'image'
  if (value.length > MOST_READ) return 'text'
  if (parsed(value) !== undefined) return sheetOf(parsed(value)) ? 'table' : 'json'
  if (csvOf(value)) return 'table'
  if (CODE.test(value)) return 'code'
  return MARKDOWN.test(value) ? 'markdown' : 'text'
}

/** Rows and columns, where a value has them: CSV text, or a list of objects that have the same fields. */
export function sheetOf(value: unknown): Sheet | null {
  if (typeof value === 'string') return csvOf(value) ?? sheetOf(parsed(value) ?? null)
  const items = list(value)
  const first = Object.keys(fields(items[0]))
  if (items.length === 0 || first.length === 0) return null
  const same = items.every((item) => Object.keys(fields(item)).join('\n') === first.join('\n'))
  return same
    ? { heads: first, rows: items.map((item) => first.map((head) => cell(fields(item)[head]))) }
    : null
}

function cell(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** JSON text of a list or an object; other texts are not JSON that anybody meant. */
export function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** At least two lines with the same number of cells, and more than one. */
function csvOf(text: string): Sheet | null {
  if (!text.includes(',') || !text.includes('\n')) return null
  const rows = csvRows(text)
  const width = rows[0]?.length ?? 0
  if (rows.length < 2 || width < 2 || rows.some((row) => row.length !== width)) return null
  const [heads = [], ...rest] = rows
  if (heads.some((head) => head.trim() === '' || head.length > 60 || /[.!?]$/.test(head))) return null // prose that happens to fit
  return { heads, rows: rest }
}

function csvRows(text: string): string[][] {
  const rows: string[][] = [[]]
  const cells = /("((?:[^"]|"")*)"|[^,\r\n]*)(,|\r?\n|$)/g
  for (const match of text.trimEnd().matchAll(cells)) {
    const [whole, raw = '', quoted, end = ''] = match
    if (whole === '' && rows.at(-1)?.length !== 0) break
    rows.at(-1)?.push(quoted === undefined ? raw : quoted.replaceAll('""', '"'))
    if (end === '') break
    if (end !== ',') rows.push([])
  }
  return rows
}

export function sourceOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}
