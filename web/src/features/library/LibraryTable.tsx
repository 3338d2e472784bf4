import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { say, sayCount } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Menu } from '@/ui/Menu'
import { More } from '@/ui/More'
import { useHidden } from '@/ui/removals'
import { EmptyState, ErrorPanel, SkeletonRows } from '@/ui/States'
import { StatusBadge } from '@/ui/StatusBadge'
import { type Column, Table } from '@/ui/Table'
import { When } from '@/ui/When'
import { Favourite } from './Favourite'
import { type Entry, libraryList } from './queries'
import { useEntryActions } from './useEntryActions'
import type { LibraryView } from './view'

type Props = { view: LibraryView; onView: (view: LibraryView) => void }

export function LibraryTable({ view, onView }: Props) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(libraryList(view))
  const hidden = useHidden()
  const [picked, onPick] = useState<ReadonlySet<string>>(new Set())
  const actions = useEntryActions()
  if (isPending) return <SkeletonRows />
  if (error && data === undefined) return <ErrorPanel problem={error} onRetry={() => void refetch()} />
  const entries = data.pages.flatMap((page) => page.items).filter(({ id }) => !hidden.has(id))
  if (entries.length === 0)
    return view.q || view.status || view.favourite ? <NoneFound onView={onView} /> : <NoAgents />
  const chosen = entries.filter(({ id }) => picked.has(id))

  return (
    <>
      {chosen.length > 0 && (
        <div className="toolbar" role="status">
          <span>{sayCount('agents.picked', chosen.length)}</span>
          <Button look="plain" onClick={() => actions.exportThem(chosen)}>
            {say('agents.export')}
          </Button>
          <Button look="danger" icon="trash" writes onClick={() => actions.deleteThem(chosen)}>
            {say('common.delete')}
          </Button>
          <Button look="ghost" onClick={() => onPick(new Set())}>
            {say('common.clear')}
          </Button>
        </div>
      )}
      <Table
        label={say('agents.label')}
        columns={[...COLUMNS, actionsOf(actions)]}
        rows={entries}
        idOf={({ id }) => id}
        nameOf={nameOf}
        sorted={{ by: view.sort ?? 'created', order: view.order ?? 'desc' }}
        onSort={({ by, order }) => onView({ ...view, sort: by as NonNullable<LibraryView['sort']>, order })}
        picking={{ picked, onPick }}
      />
      <More there={hasNextPage} busy={isFetchingNextPage} onMore={() => void fetchNextPage()} />
    </>
  )
}

function nameOf({ name }: Entry): string {
  return name || say('common.untitledAgent')
}

const REASONS = { review_waits: 'agents.reviewWaits', run_failed: 'agents.runFailed' } as const

const COLUMNS: readonly Column<Entry>[] = [
  {
    name: 'name',
    head: say('agents.name'),
    wide: true,
    sorts: 'asc',
    cell: (entry) => (
      <>
        <Favourite entry={entry} name={nameOf(entry)} />{' '}
        <Link to="/library/agents/$agentId" params={{ agentId: entry.id }}>
          {nameOf(entry)}
        </Link>{' '}
        <span className="quiet about">{entry.description}</span>
      </>
    ),
  },
  {
    name: 'status',
    head: say('agents.status'),
    cell: ({ status, attention, last_run }) => (
      <span className="row">
        <StatusBadge status={status} />
        {attention && last_run && (
          <Link className="small" to="/library/runs/$runId" params={{ runId: last_run.id }}>
            {say(REASONS[attention])}
          </Link>
        )}
      </span>
    ),
  },
  {
    name: 'last_run',
    head: say('agents.lastRun'),
    sorts: 'desc',
    cell: ({ last_run }) => last_run && <When at={last_run.created_at} />,
  },
  { name: 'version', head: say('agents.version'), cell: ({ version }) => version },
  {
    name: 'changed',
    head: say('agents.changed'),
    sorts: 'desc',
    cell: ({ updated_at }) => <When at={updated_at} />,
  },
]

function actionsOf(actions: ReturnType<typeof useEntryActions>): Column<Entry> {
  return {
    name: 'actions',
    head: say('agents.menu'),
    plain: true,
    cell: (entry) => (
      <Menu
        label={say('agents.actions', { name: nameOf(entry) })}
        items={[
          {
            label: say('agents.duplicate'),
            icon: 'copy',
            writes: true,
            act: () => actions.duplicateIt(entry),
          },
          { label: say('agents.export'), icon: 'down', act: () => actions.exportThem([entry]) },
          {
            label: say('common.delete'),
            icon: 'trash',
            danger: true,
            writes: true,
            act: () => actions.deleteThem([entry]),
          },
        ]}
      />
    ),
  }
}

function NoAgents() {
  return (
    <EmptyState icon="library" title={say('agents.none')}>
      <p className="quiet">{say('agents.noneWhy')}</p>
      <Link className="button" to="/">
        {say('agents.ask')}
      </Link>
    </EmptyState>
  )
}

function NoneFound({ onView }: { onView: (view: LibraryView) => void }) {
  return (
    <EmptyState icon="search" title={say('agents.noneFound')}>
      <p className="quiet">{say('agents.noneFoundWhy')}</p>
      <Button look="plain" onClick={() => onView({})}>
        {say('agents.clearFilters')}
      </Button>
    </EmptyState>
  )
}
