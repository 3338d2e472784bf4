import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { ChoiceField } from '@/ui/Field'
import { More } from '@/ui/More'
import { ErrorPanel, Skeleton, SkeletonRows } from '@/ui/States'
import { toast, toastProblem } from '@/ui/toasts'
import { blockCatalogue } from './blocks'
import { Changes } from './Changes'
import { agentById, diffOf, useRollbackAgent, useSetActiveVersion, versionsOf } from './queries'
import { versionChoices } from './versionChoices'

// The canvas is large; only those who look at a picture fetch it.
const DiffCanvas = lazy(() => import('@/features/builder/versions/DiffCanvas'))

type Agent = Schemas['AgentDetail']
type Props = { agent: Agent; version: number; onClose: () => void }

/** Two versions beside each other: as a picture and in words; the first of them can be brought back. */
export function CompareVersions({ agent, version, onClose }: Props) {
  const [from, setFrom] = useState(version)
  const [to, setTo] = useState(agent.active_version)
  const versions = useInfiniteQuery(versionsOf(agent.id))
  const listed = versions.data?.pages.flatMap((page) => page.items) ?? []
  // What is compared, and what is in use, can be much older than the versions that were listed so far.
  const numbers = versionChoices(listed, [from, to, agent.active_version])
  const { data, error, refetch } = useQuery(diffOf(agent.id, from, to))
  return (
    <Dialog title={say('versions.compare.title')} wide onClose={onClose}>
      <div className="compare-sides">
        <ChoiceField
          label={say('versions.compare.from')}
          choices={numbers}
          value={String(from)}
          onChange={(event) => setFrom(Number(event.target.value))}
        />
        <ChoiceField
          label={say('versions.compare.to')}
          choices={numbers}
          value={String(to)}
          onChange={(event) => setTo(Number(event.target.value))}
        />
      </div>
      {versions.error && <ErrorPanel problem={versions.error} onRetry={() => void versions.refetch()} />}
      <More
        there={versions.hasNextPage}
        busy={versions.isFetchingNextPage}
        label={say('versions.compare.more')}
        onMore={() => void versions.fetchNextPage()}
      />
      <Picture agentId={agent.id} from={from} to={to} />
      {error && <ErrorPanel problem={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <SkeletonRows rows={3} />}
      {data && <Changes diff={data.diff} none={say('versions.compare.none')} />}
      <Actions agent={agent} version={from} onDone={onClose} />
    </Dialog>
  )
}

function Picture({ agentId, from, to }: { agentId: string; from: number; to: number }) {
  const before = useQuery(agentById(agentId, from))
  const after = useQuery(agentById(agentId, to))
  const blocks = useQuery(blockCatalogue)
  const problem = before.error ?? after.error ?? blocks.error
  if (!before.data || !after.data || !blocks.data)
    return problem ? <ErrorPanel problem={problem} /> : <Skeleton height="200px" />
  return (
    <Suspense fallback={<Skeleton height="200px" />}>
      <DiffCanvas
        key={`${from} ${to}`}
        before={before.data.graph}
        after={after.data.graph}
        blocks={blocks.data}
      />
    </Suspense>
  )
}

function Actions({ agent, version, onDone }: { agent: Agent; version: number; onDone: () => void }) {
  const restore = useRollbackAgent(agent.id)
  const activate = useSetActiveVersion(agent.id)
  const done = (words: (saved: Agent) => string) => ({
    onSuccess: (saved: Agent) => {
      toast(words(saved))
      onDone()
    },
    onError: toastProblem,
  })
  return (
    <div className="actions">
      <Button
        look="plain"
        writes
        busy={activate.isPending}
        disabled={version === agent.active_version}
        onClick={() =>
          activate.mutate(
            { version, base: agent.active_version },
            done((saved) => say('versions.activated', { version: saved.version })),
          )
        }
      >
        {say('versions.use', { version })}
      </Button>
      <Button
        writes
        busy={restore.isPending}
        disabled={version === agent.active_version}
        onClick={() =>
          restore.mutate(
            version,
            done((saved) => say('versions.restored', { from: version, version: saved.version })),
          )
        }
      >
        {say('versions.restore')}
      </Button>
    </div>
  )
}
