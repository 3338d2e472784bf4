import { Link } from '@tanstack/react-router'
import { AgentTable } from '@/features/agents/AgentTable'
import { useTitle } from '@/kit/useTitle'

export function LibraryPage() {
  useTitle('Library')
  return (
    <div className="sheet">
      <header>
        <h1>Library</h1>
        <Link className="button plain end" to="/build">
          New agent
        </Link>
      </header>
      <AgentTable />
    </div>
  )
}
