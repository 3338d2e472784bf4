import { type Fields, fields, inline, list, text } from '@/kit/json'

export type Change = { kind: 'more' | 'less' | 'other'; what: string; from: string | null; to: string | null }

/** A difference between two versions as the server tells it, one entry for each thing that changed. */
export function changesIn(diff: unknown): Change[] {
  const { metadata, nodes, links } = fields(diff)
  const said = fields(nodes)
  const wires = fields(links)
  return [
    ...Object.entries(fields(metadata)).map(([key, change]) => other(key.replaceAll('_', ' '), change)),
    ...list(said.removed).map((node) => whole('less', `block ${text(fields(node).id)}`)),
    ...list(said.added).map((node) => whole('more', `block ${text(fields(node).id)}`)),
    ...Object.entries(fields(said.changed)).flatMap(([id, parts]) => partsOf(id, fields(parts))),
    ...list(wires.removed).map((link) => whole('less', `link ${ends(fields(link))}`)),
    ...list(wires.added).map((link) => whole('more', `link ${ends(fields(link))}`)),
  ]
}

function partsOf(id: string, { inputs, ...rest }: Fields): Change[] {
  return Object.entries({ ...rest, ...fields(inputs) }).map(([key, change]) =>
    other(`${id}, ${key.replaceAll('_', ' ')}`, change),
  )
}

function other(what: string, change: unknown): Change {
  const sides = fields(change)
  return { kind: 'other', what, from: side(sides, 'from'), to: side(sides, 'to') }
}

function side(sides: Fields, name: string): string | null {
  return Object.hasOwn(sides, name) ? inline(sides[name]) : null
}

function whole(kind: 'more' | 'less', what: string): Change {
  return { kind, what, from: null, to: null }
}

function ends(link: Fields): string {
  return `${text(link.from)}, ${text(link.out)} to ${text(link.to)}, ${text(link.in)}`
}
