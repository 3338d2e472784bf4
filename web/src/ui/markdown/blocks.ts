import { lexer, type Token } from 'marked'

/** Markdown cut into blocks, of which all but the last will not change when more text comes. */
export type Blocks = {
  readonly text: string
  readonly done: readonly Token[]
  readonly open: readonly Token[]
}

export const noBlocks: Blocks = { text: '', done: [], open: [] }

/** Read a text that grew; what is finished is not read again, so a long answer costs no more per word than a short one. */
export function read(before: Blocks, text: string): Blocks {
  if (text === before.text) return before
  const grew = before.text !== '' && text.startsWith(before.text)
  const done = grew ? before.done : []
  const from = done.reduce((sum, block) => sum + block.raw.length, 0)
  const rest = lexer(text.slice(from).replaceAll('\r', ' '))
  const settled = lastSettled(rest)
  return { text, done: [...done, ...rest.slice(0, settled)], open: rest.slice(settled) }
}

/** A block is settled when a blank line and another block follow it: nothing later can join it. */
function lastSettled(blocks: readonly Token[]): number {
  for (let at = blocks.length - 2; at > 0; at--) {
    const block = blocks[at]
    if (block?.type === 'space' && blocks[at - 1]?.type !== 'list') return at + 1
  }
  return 0
}
