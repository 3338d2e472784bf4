import { RunTable } from '@/features/runs/RunTable'
import { useTitle } from '@/kit/useTitle'

export function ActivityPage() {
  useTitle('Activity')
  return (
    <div className="sheet">
      <header>
        <h1>Activity</h1>
      </header>
      <RunTable />
    </div>
  )
}
