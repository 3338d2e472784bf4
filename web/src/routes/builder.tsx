import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiProblem } from '@/api/errors'
import { agentById } from '@/features/agents/queries'
import { Builder } from '@/features/builder/Builder'
import { blockCatalogue } from '@/features/builder/queries'
import { useTitle } from '@/kit/useTitle'
import { AbsentPage, ErrorPanel, SkeletonRows } from '@/ui/States'

export function BuilderPage() {
  const { agentId } = useParams({ from: '/build/$agentId' })
  const { run } = useSearch({ from: '/build/$agentId' })
  const navigate = useNavigate()
  const agent = useQuery({ ...agentById(agentId), refetchOnWindowFocus: false })
  const blocks = useQuery(blockCatalogue)
  const [loaded, setLoaded] = useState(0)
  useTitle(agent.data?.name ?? 'Build')
  const problem = agent.error ?? blocks.error
  if (problem instanceof ApiProblem && [404, 422].includes(problem.status)) return <AbsentPage />
  if (problem) {
    return (
      <div className="sheet">
        <ErrorPanel problem={problem} onRetry={() => void Promise.all([agent.refetch(), blocks.refetch()])} />
      </div>
    )
  }
  if (!agent.data || !blocks.data) {
    return (
      <div className="sheet">
        <SkeletonRows rows={5} />
      </div>
    )
  }
  return (
    <Builder
      key={`${agentId} ${loaded}`}
      agent={agent.data}
      blocks={blocks.data}
      run={run ?? null}
      onReload={() => void agent.refetch().then(() => setLoaded(loaded + 1))}
      onRun={(started) =>
        void navigate({ to: '/build/$agentId', params: { agentId }, search: { run: started }, replace: true })
      }
    />
  )
}
