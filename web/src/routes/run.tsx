import { useParams } from '@tanstack/react-router'
import { RunView } from '@/features/runs/RunView'
import { useTitle } from '@/kit/useTitle'

export function RunPage() {
  const { runId } = useParams({ from: '/runs/$runId' })
  useTitle('Run')
  return (
    <>
      <h1>Run</h1>
      <RunView key={runId} runId={runId} />
    </>
  )
}
