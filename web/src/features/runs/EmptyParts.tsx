import { useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { Grown } from '@/ui/Grown'
import { More } from '@/ui/More'
import { stayedEmpty } from './stayedEmpty'

type Props = { run: Schemas['RunOut']; names: ReadonlyMap<string, string> }

const PAGE = 100

/** What stayed empty. That is no error (a branch that was not taken looks the same), so it is told last, and folded. */
export function EmptyParts({ run, names }: Props) {
  const [most, setMost] = useState(PAGE)
  const found = stayedEmpty(run, (node_id) => names.get(node_id) || node_id)
  if (found === null) return null
  return (
    <details className="quiet small">
      <summary>{found.title}</summary>
      <ul>
        <Grown of={found.lines.slice(0, most)}>{(line) => <li className="wraps-anywhere">{line}</li>}</Grown>
      </ul>
      <More there={found.lines.length > most} busy={false} onMore={() => setMost(most + PAGE)} />
    </details>
  )
}
