import { useState } from 'react'
import { say } from '@/kit/say'
import { Button } from '../Button'
import { CodeBlock } from '../CodeBlock'
import { type Copied, CopyButton } from '../CopyButton'
import { Grown } from '../Grown'
import { LazyMarkdown } from '../LazyMarkdown'
import { ScrollFrame } from '../ScrollFrame'
import { Value } from '../Value'
import { kindOf, parsed, type Sheet, sheetOf, sourceOf } from './kinds'

const MOST_ROWS = 200
const PLAIN = new Set(['text', 'json'])

type Props = {
  name: string
  value: unknown
  /** What is copied, where that is more than what is shown. */
  copied?: Copied
}

/** A value as it is best read, its source one click away, and a way to copy it. */
export function Rendered({ name, value, copied = sourceOf(value) }: Props) {
  const kind = kindOf(value)
  const [source, setSource] = useState(false)
  return (
    <div className="rendered" data-kind={kind}>
      <div className="rendered-body">
        {source ? <Value value={sourceOf(value)} /> : <Best kind={kind} value={value} />}
      </div>
      <span className="row">
        {!PLAIN.has(kind) && (
          <Button tiny look="ghost" aria-pressed={source} onClick={() => setSource(!source)}>
            {say('common.source')}
          </Button>
        )}
        <CopyButton text={copied} label={say('common.copyNamed', { name })} />
      </span>
    </div>
  )
}

function Best({ kind, value }: { kind: ReturnType<typeof kindOf>; value: unknown }) {
  if (kind === 'markdown') return <LazyMarkdown text={String(value)} />
  if (kind === 'code') return <CodeBlock code={String(value)} />
  if (kind === 'image') return <img className="rendered-image" src={String(value)} alt="" />
  const sheet = kind === 'table' ? sheetOf(value) : null
  if (sheet) return <SheetTable sheet={sheet} />
  return <Value value={typeof value === 'string' ? (parsed(value) ?? value) : value} />
}

function SheetTable({ sheet: { heads, rows } }: { sheet: Sheet }) {
  return (
    <ScrollFrame className="table-frame" aria-label={say('common.table')}>
      <table>
        <thead>
          <tr>
            <Grown of={heads}>{(head) => <th scope="col">{head}</th>}</Grown>
          </tr>
        </thead>
        <tbody>
          <Grown of={rows.slice(0, MOST_ROWS)}>
            {(cells) => (
              <tr>
                <Grown of={cells}>{(text) => <td>{text}</td>}</Grown>
              </tr>
            )}
          </Grown>
        </tbody>
      </table>
      {rows.length > MOST_ROWS && (
        <p className="quiet small picked">{say('common.moreRows', { count: rows.length - MOST_ROWS })}</p>
      )}
    </ScrollFrame>
  )
}
