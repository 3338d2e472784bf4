import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { say, sayStatus } from '@/kit/say'
import { moment } from '@/kit/time'
import { Dialog } from '@/ui/Dialog'
import { ScrollFrame } from '@/ui/ScrollFrame'
import { ErrorPanel, SkeletonRows } from '@/ui/States'
import { type Line, runsApart, stepsApart } from './compare'
import { runById, runsOf, stepsOf } from './queries'

type Run = Schemas['RunOut']

/** Two runs of one agent side by side. */
export function CompareDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const id = useId()
  const { data, error, isPending } = useInfiniteQuery(runsOf({ agent_id: run.agent_id }))
  const others = data?.pages.flatMap((page) => page.items).filter((one) => one.id !== run.id) ?? []
  const [chosen, choose] = useState<string | null>(null)
  const other = chosen ?? others[0]?.id
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
  const steps = useQuery(stepsOf(run.id))
  const otherSteps = useQuery(stepsOf(otherId))
  const problem = other.error ?? steps.error ?? otherSteps.error
  if (problem) return <ErrorPanel problem={problem} />
  if (!other.data || !steps.data || !otherSteps.data) return <SkeletonRows rows={4} />
  const { inputs, outputs } = runsApart(run, other.data)
  const status = { what: say('runs.status'), a: sayStatus(run.status), b: sayStatus(other.data.status) }
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
        <Lines head={say('runs.name')} lines={[{ ...status, same: status.a === status.b }]} />
        <Lines head={say('runs.inputs')} lines={inputs} />
        <Lines head={say('runs.outputs')} lines={outputs} />
        <Lines head={say('runs.steps')} lines={stepsApart(steps.data, otherSteps.data)} />
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
      {lines.map(({ what, a, b, same }) => (
        <tr key={what}>
          <td>{what}</td>
          <td>{a}</td>
          <td>{same ? <span className="quiet">{say('runs.unchanged')}</span> : <mark>{b}</mark>}</td>
        </tr>
      ))}
    </tbody>
  )
}
