import type { Token } from 'marked'
import { memo, useRef } from 'react'
import { Grown } from '../Grown'
import { noBlocks, read } from './blocks'
import { TokenList } from './Tokens'

const Block = memo(
  ({ token }: { token: Token }) => <TokenList tokens={[token]} />,
  (before, after) => before.token.raw === after.token.raw && before.token.type === after.token.type,
)

/** Markdown that may still grow: finished blocks keep their elements while the last one changes. */
export default function Markdown({ text }: { text: string }) {
  const blocks = useRef(noBlocks)
  blocks.current = read(blocks.current, text)
  const { done, open } = blocks.current
  return (
    <div className="prose">
      <Grown of={[...done, ...open]}>{(token) => <Block token={token} />}</Grown>
    </div>
  )
}
