import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { agentList, agentNames } from '@/features/agents/queries'
import { say, sayCount, sayStatus } from '@/kit/say'
import { duration } from '@/kit/time'
import { Button } from '@/ui/Button'
import { More } from '@/ui/More'
import { remove, useHidden } from '@/ui/removals'
import { EmptyState, ErrorPanel, SkeletonRows } from '@/ui/States'
import { StatusBadge } from '@/ui/StatusBadge'
import { type Column, Table } from '@/ui/Table'
import { When } from '@/ui/When'
import { DryRunBadge } from './DryRunMark'
import { deleteRuns, runsOf } from './queries'
import { RUN_STATUSES, type RunStatus, type RunsView } from './view'

type Run = Schemas['RunList']['items'][number]
type Props = { agentId?: string; view: RunsView; onView: (view: RunsView) => void }

/** Runs of one agent or of all, by status; those that have ended can be picked and deleted. */
export function RunTable({ agentId, view, onView }: Props) {
  return (
    <>
      <div className="toolbar">
        <select
          className="input"
          aria-label={say('runs.status')}
          value={view.status ?? ''}
          onChange={({ target }) => onView(target.value === '' ? {} : { status: target.value as RunStatus })}
        >
          <option value="">{say('runs.all')}</option>
          {RUN_STATUSES.map((status) => (
            <option key={status} value={status}>
              {sayStatus(status)}
            </option>
          ))}
        </select>
      </div>
      <Found key={`${agentId} ${view.status}`} {...(agentId && { agentId })} view={view} />
    </>
  )
}

function Found({ agentId, view }: { agentId?: string; view: RunsView }) {
  const wanted = { ...view, ...(agentId && { agent_id: agentId }) }
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(runsOf(wanted))
  const hidden = useHidden()
  const names = agentNames(useInfiniteQuery(agentList).data)
  const [picked, onPick] = useState<ReadonlySet<string>>(new Set())
  if (isPending) return <SkeletonRows />
  if (error && data === undefined) return <ErrorPanel problem={error} onRetry={() => void refetch()} />
  const runs = data.pages.flatMap((page) => page.items).filter(({ id }) => !hidden.has(id))
  if (runs.length === 0) {
    if (view.status) return <p className="quiet">{say('runs.noneFound')}</p>
    return agentId ? <p className="quiet">{say('agents.neverRan')}</p> : <NoRuns />
  }
  const chosen = runs.filter(({ id }) => picked.has(id))
  return (
    <>
      {chosen.length > 0 && <Chosen runs={chosen} onClear={() => onPick(new Set())} />}
      <Table
        label={say('runs.label')}
        columns={columns(names)}
        rows={runs}
        idOf={({ id }) => id}
        nameOf={(run) => nameOf(run, names)}
        picking={{ picked, onPick }}
      />
      <More there={hasNextPage} busy={isFetchingNextPage} onMore={() => void fetchNextPage()} />
    </>
  )
}

function Chosen({ runs, onClear }: { runs: readonly Run[]; onClear: () => void }) {
  const cache = useQueryClient()
  const ids = runs.map(({ id }) => id)
  function deleteThem() {
    remove({
      ids,
      said: sayCount('runs.deletedMany', ids.length),
      send: () => deleteRuns(ids),
      settled: () => void cache.invalidateQueries({ queryKey: ['runs'] }),
    })
    onClear()
  }
  return (
    <div className="toolbar" role="status">
      <span>{sayCount('runs.picked', ids.length)}</span>
      <Button look="danger" icon="trash" writes onClick={deleteThem}>
        {say('common.delete')}
      </Button>
      <Button look="ghost" onClick={onClear}>
        {say('common.clear')}
      </Button>
    </div>
  )
}

type Names = ReadonlyMap<string, string>

function nameOf(run: Run, names: Names): string {
  return `${names.get(run.agent_id) || say('runs.name')} ${run.id.slice(-6)}`
}

function columns(names: Names): Column<Run>[] {
  return [
    {
      name: 'run',
      head: say('runs.name'),
      wide: true,
      cell: (run) => (
        <Link to="/library/runs/$runId" params={{ runId: run.id }}>
          {names.get(run.agent_id) || say('runs.name')} <span className="quiet">{run.id.slice(-6)}</span>
        </Link>
      ),
    },
    {
      name: 'status',
      head: say('runs.status'),
      cell: ({ status, dry_run }) => (
        <span className="row wrap">
          <StatusBadge status={status} />
          {dry_run && <DryRunBadge />}
        </span>
      ),
    },
    { name: 'started', head: say('runs.started'), cell: ({ created_at }) => <When at={created_at} /> },
    {
      name: 'took',
      head: say('runs.took'),
      cell: ({ started_at, ended_at }) => duration(started_at, ended_at),
    },
    { name: 'by', head: say('runs.by'), cell: ({ trigger }) => trigger },
  ]
}

function NoRuns() {
  return (
    <EmptyState icon="activity" title={say('runs.none')}>
      <p className="quiet">{say('runs.noneWhy')}</p>
      <Link className="button" to="/library">
        {say('runs.runAgent')}
      </Link>
    </EmptyState>
  )
}
