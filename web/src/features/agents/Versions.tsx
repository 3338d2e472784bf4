import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { More } from '@/ui/More'
import { ErrorPanel, SkeletonRows } from '@/ui/States'
import { toast, toastProblem } from '@/ui/toasts'
import { When } from '@/ui/When'
import { Changes } from './Changes'
import { diffOf, useRollbackAgent, useSetActiveVersion, versionsOf } from './queries'

type Agent = Schemas['AgentDetail']

/** Every version that was saved; what an older one says can be brought back. */
export function Versions({ agent }: { agent: Agent }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    versionsOf(agent.id),
  )
  const [chosen, choose] = useState<number | null>(null)
  const versions = data?.pages.flatMap((page) => page.items) ?? []
  return (
    <section className="stack tight" aria-label={say('agents.tabVersions')}>
      {error && <ErrorPanel problem={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <SkeletonRows rows={3} />}
      <ul className="steps">
        {versions.map((one) => (
          <li key={one.version} className="row version">
            <span className="wraps-anywhere">
              {say('agents.versionNumber', { version: one.version })}
              {one.note && <span className="quiet"> {one.note}</span>}
            </span>
            <span className="end quiet small">
              <When at={one.created_at} />
            </span>
            {one.version === agent.active_version ? (
              <span className="small">{say('agents.inUse')}</span>
            ) : (
              <Button tiny look="plain" onClick={() => choose(one.version)}>
                {say('agents.compare')}
                <span className="unseen"> {say('agents.compareVersion', { version: one.version })}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      <More there={hasNextPage} busy={isFetchingNextPage} onMore={() => void fetchNextPage()} />
      {chosen !== null && <Compared agent={agent} version={chosen} onClose={() => choose(null)} />}
    </section>
  )
}

type ComparedProps = { agent: Agent; version: number; onClose: () => void }

function Compared({ agent, version, onClose }: ComparedProps) {
  const { data, error, refetch } = useQuery(diffOf(agent.id, version, agent.active_version))
  const restore = useRollbackAgent(agent.id)
  const activate = useSetActiveVersion(agent.id)
  const done = {
    onSuccess: (saved: Agent) => {
      toast(say('agents.versionInUse', { version: saved.version }))
      onClose()
    },
    onError: toastProblem,
  }
  return (
    <Dialog title={say('agents.fromTo', { from: version, to: agent.active_version })} onClose={onClose}>
      {error && <ErrorPanel problem={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <SkeletonRows rows={3} />}
      {data && <Changes diff={data.diff} none={say('agents.sameContent')} />}
      <div className="actions">
        <Button
          look="plain"
          writes
          busy={activate.isPending}
          onClick={() => activate.mutate({ version, base: agent.active_version }, done)}
        >
          {say('agents.useVersion', { version })}
        </Button>
        <Button writes busy={restore.isPending} onClick={() => restore.mutate(version, done)}>
          {say('agents.restore')}
        </Button>
      </div>
    </Dialog>
  )
}
