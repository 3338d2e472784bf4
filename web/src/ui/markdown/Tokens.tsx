import type { Token, Tokens } from 'marked'
import type { ReactNode } from 'react'
import { own } from '@/kit/json'
import { say } from '@/kit/say'
import { CodeBlock } from '../CodeBlock'
import { Grown } from '../Grown'
import { Icon } from '../Icon'
import { hostOf, safeTarget } from './links'

/** A parsed text as elements. There is no way from here to raw HTML: what is not known is shown as it was written. */
export function TokenList({ tokens }: { tokens: readonly Token[] }) {
  return <Grown of={tokens}>{element}</Grown>
}

function children(token: { tokens?: readonly Token[] | undefined; text?: string }): ReactNode {
  return token.tokens ? <TokenList tokens={token.tokens} /> : unescaped(token.text ?? '')
}

const HEADINGS = ['h2', 'h2', 'h3', 'h4', 'h5', 'h6'] as const

const RENDERERS: Record<string, (token: never) => ReactNode> = {
  space: () => null,
  def: () => null,
  paragraph: (token: Tokens.Paragraph) => <p>{children(token)}</p>,
  heading: (token: Tokens.Heading) => {
    const Heading = HEADINGS[token.depth - 1] ?? 'h6'
    return <Heading>{children(token)}</Heading>
  },
  code: (token: Tokens.Code) => <CodeBlock code={token.text} language={token.lang} />,
  blockquote: (token: Tokens.Blockquote) => <blockquote>{children(token)}</blockquote>,
  list: listOf,
  table: tableOf,
  hr: () => <hr />,
  br: () => <br />,
  text: (token: Tokens.Text) => children(token),
  escape: (token: Tokens.Escape) => token.text,
  strong: (token: Tokens.Strong) => <strong>{children(token)}</strong>,
  em: (token: Tokens.Em) => <em>{children(token)}</em>,
  del: (token: Tokens.Del) => <del>{children(token)}</del>,
  codespan: (token: Tokens.Codespan) => <code>{unescaped(token.text)}</code>,
  link: linkOf,
  image: (token: Tokens.Image) => (
    <span className="far-image">
      <Icon name="image" /> {token.text || 'Image'}{' '}
      {say('common.imageNotLoaded', { host: hostOf(token.href) })}
    </span>
  ),
}

function element(token: Token): ReactNode {
  const render = own(RENDERERS, token.type)
  return render ? render(token as never) : token.raw
}

function linkOf(token: Tokens.Link): ReactNode {
  const target = safeTarget(token.href)
  if (target === null) return children(token)
  if (!target.outside) return <a href={target.href}>{children(token)}</a>
  return (
    <a href={target.href} target="_blank" rel="noopener noreferrer">
      {children(token)}
    </a>
  )
}

function listOf(token: Tokens.List): ReactNode {
  const List = token.ordered ? 'ol' : 'ul'
  return (
    <List start={token.ordered && token.start !== '' ? token.start : undefined}>
      <Grown of={token.items}>
        {(item) => (
          <li>
            {item.task && <input type="checkbox" checked={item.checked ?? false} readOnly disabled />}
            {children(item)}
          </li>
        )}
      </Grown>
    </List>
  )
}

function tableOf(token: Tokens.Table): ReactNode {
  return (
    <div className="table-frame">
      <table>
        <thead>
          <tr>
            <Grown of={token.header}>{(cell) => <th scope="col">{children(cell)}</th>}</Grown>
          </tr>
        </thead>
        <tbody>
          <Grown of={token.rows}>
            {(row) => (
              <tr>
                <Grown of={row}>{(cell) => <td>{children(cell)}</td>}</Grown>
              </tr>
            )}
          </Grown>
        </tbody>
      </table>
    </div>
  )
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** The parser escapes for HTML, which React does again; this takes its part back. */
function unescaped(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole)
}
