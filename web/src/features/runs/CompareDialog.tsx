import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem } from '@/api/errors'
import type { Schemas } from '@/api/shapes'
import { useNodeNames } from '@/features/agents/useNodeNames'
import { say, sayStatus } from '@/kit/say'
import { moment } from '@/kit/time'
import { Dialog } from '@/ui/Dialog'
import { SelectField } from '@/ui/Field'
import { Grown } from '@/ui/Grown'
import { More } from '@/ui/More'
import { ScrollFrame } from '@/ui/ScrollFrame'
import { ErrorPanel, SkeletonRows } from '@/ui/States'
import { comparisonOf } from './again'
import { type Line, nodesApart, outputsApart, valuesApart, wholeApart } from './compare'
import { firstOther, othersOf } from './others'
import { runById, runsOf } from './queries'

type Run = Schemas['RunOut']
type Other = Pick<Run, 'id' | 'created_at' | 'ended_at' | 'status'>

/** Two ended runs of one agent side by side: a replay or a fork and its origin, until another is chosen. */
export function CompareDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const runs = useInfiniteQuery(runsOf({ agent_id: run.agent_id }))
  // It may be far older than the runs that are listed first, or deleted.
  const origin = useQuery({ ...runById(run.origin?.run_id ?? ''), enabled: run.origin !== null })
  const listed = runs.data?.pages.flatMap((page) => page.items) ?? []
  const others = othersOf(run.id, [...listed, origin.data])
  const first = firstOther(others, run.origin?.run_id)
  const gone = origin.error instanceof ApiProblem && origin.error.status === 404
  const lost = gone || origin.data ? null : origin.error
  const coming = runs.isPending || (run.origin !== null && origin.isPending)
  return (
    <Dialog title={say('runs.compareTitle')} wide onClose={onClose}>
      {runs.error && <ErrorPanel problem={runs.error} />}
      {lost && <ErrorPanel problem={lost} onRetry={() => void origin.refetch()} />}
      {coming && <SkeletonRows rows={3} />}
      {runs.data && !coming && !lost && !first && <p className="quiet">{say('runs.compareNone')}</p>}
      {first && !coming && !lost && <Compared run={run} first={first} others={others} />}
      <More
        there={runs.hasNextPage}
        busy={runs.isFetchingNextPage}
        label={say('again.earlier')}
        onMore={() => void runs.fetchNextPage()}
      />
    </Dialog>
  )
}

type ComparedProps = { run: Run; first: Other; others: readonly Other[] }

/** The other run is held from the first moment on: runs that end meanwhile change what can be chosen, not what is. */
function Compared({ run, first, others }: ComparedProps) {
  const [other, choose] = useState(first)
  const choices = othersOf(run.id, [...others, other])
  return (
    <>
      <SelectField
        label={say('runs.compareOther')}
        value={other.id}
        onChange={({ target }) => choose(choices.find((one) => one.id === target.value) ?? other)}
      >
        {choices.map((one) => (
          <option key={one.id} value={one.id}>
            {moment(one.created_at)}, {sayStatus(one.status)}, {one.id.slice(-6)}
          </option>
        ))}
      </SelectField>
      <SideBySide run={run} otherId={other.id} />
    </>
  )
}

function SideBySide({ run, otherId }: { run: Run; otherId: string }) {
  const other = useQuery(runById(otherId))
  const compared = useQuery(comparisonOf(run.id, otherId))
  const names = useNodeNames(run)
  const problem = other.error ?? compared.error
  if (!other.data || !compared.data)
    return problem ? <ErrorPanel problem={problem} /> : <SkeletonRows rows={4} />
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
