import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { RunPageView } from '@/features/runs/RunView'

export function RunPage() {
  const { runId } = useParams({ from: '/library/runs/$runId' })
  const view = useSearch({ from: '/library/runs/$runId' })
  const navigate = useNavigate()
  return (
    <div className="sheet">
      <RunPageView
        key={runId}
        runId={runId}
        view={view}
        onView={(search) =>
          void navigate({ to: '/library/runs/$runId', params: { runId }, search, replace: true })
        }
      />
    </div>
  )
}
