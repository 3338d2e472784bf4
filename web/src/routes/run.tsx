import { useParams } from '@tanstack/react-router'
import { RunPageView } from '@/features/runs/RunView'
import { useTitle } from '@/kit/useTitle'

export function RunPage() {
  const { runId } = useParams({ from: '/library/runs/$runId' })
  useTitle('Run')
  return (
    <div className="sheet">
      <RunPageView key={runId} runId={runId} />
    </div>
  )
}
