import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { agentById } from '@/features/agents/queries'
import { RunForm } from '@/features/runs/RunForm'
import { useTitle } from '@/kit/useTitle'
import { Failure, Loading } from '@/ui/Notice'

export function AgentPage() {
  const { agentId } = useParams({ from: '/agents/$agentId' })
  const navigate = useNavigate()
  const { data, error, isPending, refetch } = useQuery(agentById(agentId))
  useTitle(data?.name ?? 'Agent')
  if (isPending) return <Loading />
  if (error) return <Failure problem={error} onRetry={() => void refetch()} />
  return (
    <>
      <h1>{data.name}</h1>
      <p>{data.description}</p>
      <RunForm agent={data} onStarted={(runId) => void navigate({ to: '/runs/$runId', params: { runId } })} />
    </>
  )
}
