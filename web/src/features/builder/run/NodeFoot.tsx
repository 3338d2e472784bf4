import { memo, useState } from 'react'
import { previewed } from '@/features/runs/large'
import { inline } from '@/kit/json'
import { say } from '@/kit/say'
import { Icon } from '@/ui/Icon'
import { StatusBadge } from '@/ui/StatusBadge'
import { useLiveNode } from './live'
import type { Output } from './nodes'
import './run.css'

/** `far`: the canvas is zoomed so far out that no value could be read. */
type Props = { id: string; title: string; far: boolean }

/** What the followed run has done with a block: a line at its bottom, where no neighbour can cover it. */
export const NodeFoot = memo(({ id, title, far }: Props) => {
  const node = useLiveNode(id)
  if (node === null) return null
  return (
    <div className="node-foot nodrag nopan" data-status={node.status} data-count={node.count}>
      <StatusBadge status={node.status} />
      {node.count > 1 && <span className="quiet">{say('live.times', { count: node.count })}</span>}
      {!far && node.outputs.length > 0 && <Pager outputs={node.outputs} title={title} />}
    </div>
  )
})

/** One output at a time; the newest, until somebody turns back. */
function Pager({ outputs, title }: { outputs: readonly Output[]; title: string }) {
  const [chosen, choose] = useState<number | null>(null)
  const place = Math.min(chosen ?? outputs.length - 1, outputs.length - 1)
  const shown = outputs[place]
  const value = previewed(shown?.value)
  const turn = (to: number) => choose(to === outputs.length - 1 ? null : to)
  return (
    <>
      <span className="clip node-foot-value" title={inline(value, 400)}>
        <span className="quiet">{shown?.pin}</span> {inline(value, 60)}
      </span>
      {outputs.length > 1 && (
        <span className="node-foot-pager">
          <button
            type="button"
            aria-label={say('live.earlier', { name: title })}
            disabled={place === 0}
            onClick={() => turn(place - 1)}
          >
            <Icon name="left" />
          </button>
          <span>
            {place + 1}/{outputs.length}
          </span>
          <button
            type="button"
            aria-label={say('live.later', { name: title })}
            disabled={place === outputs.length - 1}
            onClick={() => turn(place + 1)}
          >
            <Icon name="right" />
          </button>
        </span>
      )}
    </>
  )
}
