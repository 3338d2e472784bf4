import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { agentById } from '@/features/agents/queries'
import { say, sayStatus } from '@/kit/say'
import { moment } from '@/kit/time'
import { Dialog } from '@/ui/Dialog'
import { Grown } from '@/ui/Grown'
import { ScrollFrame } from '@/ui/ScrollFrame'
import { ErrorPanel, SkeletonRows } from '@/ui/States'
import { comparisonOf } from './again'
import { type Line, nodesApart, outputsApart, valuesApart, wholeApart } from './compare'
import { runById, runsOf } from './queries'

type Run = Schemas['RunOut']

/** Two ended runs of one agent side by side: a replay or a fork and its origin, until another is chosen. */
export function CompareDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const id = useId()
  const { data, error, isPending } = useInfiniteQuery(runsOf({ agent_id: run.agent_id }))
  const others =
    data?.pages.flatMap((page) => page.items).filter((one) => one.id !== run.id && one.ended_at !== null) ??
    []
  const [chosen, choose] = useState<string | null>(null)
  const other = chosen ?? (others.find(({ id }) => id === run.origin?.run_id) ?? others[0])?.id
  return (
    <Dialog title={say('runs.compareTitle')} wide onClose={onClose}>
      {error && <ErrorPanel problem={error} />}
      {isPending && <SkeletonRows rows={3} />}
      {data && others.length === 0 && <p className="quiet">{say('runs.compareNone')}</p>}
      {other && (
        <>
          <div className="field">
            <label htmlFor={id}>{say('runs.compareOther')}</label>
            <select id={id} className="input" value={other} onChange={({ target }) => choose(target.value)}>
              {others.map((one) => (
                <option key={one.id} value={one.id}>
                  {moment(one.created_at)}, {sayStatus(one.status)}, {one.id.slice(-6)}
                </option>
              ))}
            </select>
          </div>
          <SideBySide run={run} otherId={other} />
        </>
      )}
    </Dialog>
  )
}

function SideBySide({ run, otherId }: { run: Run; otherId: string }) {
  const other = useQuery(runById(otherId))
  const compared = useQuery(comparisonOf(run.id, otherId))
  const agent = useQuery(agentById(run.agent_id, run.version))
  const problem = other.error ?? compared.error
  if (!other.data || !compared.data)
    return problem ? <ErrorPanel problem={problem} /> : <SkeletonRows rows={4} />
  const names = new Map(agent.data?.graph.nodes?.map((node) => [node.id, node.name]))
  const heads = [say('runs.nth', { id: run.id.slice(-6) }), say('runs.nth', { id: otherId.slice(-6) })]
  return (
    <ScrollFrame className="table-frame" aria-label={say('runs.compareTitle')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{say('runs.difference')}</th>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <Lines head={say('runs.name')} lines={wholeApart(compared.data)} />
        <Lines head={say('runs.inputs')} lines={valuesApart(run.inputs, other.data.inputs)} />
        <Lines head={say('runs.outputs')} lines={outputsApart(compared.data)} />
        <Lines head={say('runs.steps')} lines={nodesApart(compared.data, (id) => names.get(id) || id)} />
      </table>
    </ScrollFrame>
  )
}

function Lines({ head, lines }: { head: string; lines: readonly Line[] }) {
  if (lines.length === 0) return null
  return (
    <tbody className="compared">
      <tr>
        <th scope="rowgroup" colSpan={3}>
          {head}
        </th>
      </tr>
      <Grown of={lines}>
        {({ what, a, b, same }) => (
          <tr>
            <td>{what}</td>
            <td>{a}</td>
            <td>
              <Other b={b} same={same} />
            </td>
          </tr>
        )}
      </Grown>
    </tbody>
  )
}

function Other({ b, same }: Pick<Line, 'b' | 'same'>) {
  if (same === null) return b
  return same ? <span className="quiet">{say('runs.unchanged')}</span> : <mark>{b}</mark>
}
