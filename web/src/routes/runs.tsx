import { RunTable } from '@/features/runs/RunTable'
import { useTitle } from '@/kit/useTitle'

export function RunsPage() {
  useTitle('Runs')
  return (
    <>
      <h1>Runs</h1>
      <RunTable />
    </>
  )
}
