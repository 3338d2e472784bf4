import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { standing } from '@/features/accounts/queries'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { More } from '@/ui/More'
import { ErrorPanel, SkeletonRows } from '@/ui/States'
import { When } from '@/ui/When'
import { CompareVersions } from './CompareVersions'
import { versionsOf } from './queries'

type Agent = Schemas['AgentDetail']

/** Every version that was saved: who, when and why. Any two can be compared, and an older one brought back. */
export function Versions({ agent }: { agent: Agent }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    versionsOf(agent.id),
  )
  const [chosen, choose] = useState<number | null>(null)
  const versions = data?.pages.flatMap((page) => page.items) ?? []
  return (
    <section className="stack tight" aria-labelledby="versions">
      <h2 id="versions">{say('versions.title')}</h2>
      {error && <ErrorPanel problem={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <SkeletonRows rows={3} />}
      <ul className="steps">
        {versions.map((one) => (
          <VersionRow
            key={one.version}
            version={one}
            isActive={one.version === agent.active_version}
            onCompare={() => choose(one.version)}
          />
        ))}
      </ul>
      <More there={hasNextPage} busy={isFetchingNextPage} onMore={() => void fetchNextPage()} />
      {chosen !== null && <CompareVersions agent={agent} version={chosen} onClose={() => choose(null)} />}
    </section>
  )
}

type RowProps = { version: Schemas['VersionOut']; isActive: boolean; onCompare: () => void }

function VersionRow({ version, isActive, onCompare }: RowProps) {
  const author = useAuthor(version)
  return (
    <li className="version-row">
      <div className="row wrap">
        <Link
          to="/build/$agentId"
          params={{ agentId: version.agent_id }}
          search={isActive ? {} : { version: version.version }}
        >
          {say('versions.name', { version: version.version })}
        </Link>
        {isActive && <span className="small">{say('versions.active')}</span>}
        <span className="end quiet small">
          {author}, <When at={version.created_at} />
        </span>
      </div>
      <div className="row">
        <span className="quiet wraps-anywhere version-note">{version.note}</span>
        {!isActive && (
          <Button className="end" tiny look="plain" onClick={onCompare}>
            {say('versions.compare')}
            <span className="unseen"> {say('agents.compareVersion', { version: version.version })}</span>
          </Button>
        )}
      </div>
    </li>
  )
}

function useAuthor({ author_id, by_autopilot }: Schemas['VersionOut']): string {
  const { data } = useQuery(standing)
  const isMine = data?.kind === 'signed_in' && data.me.user.id === author_id
  if (by_autopilot) return say('versions.by.autopilot')
  return isMine ? say('versions.by.you') : say('versions.by.other')
}
