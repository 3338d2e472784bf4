import { Link, useNavigate } from '@tanstack/react-router'
import { AgentTable } from '@/features/agents/AgentTable'
import { ImportAgent } from '@/features/agents/ImportAgent'
import { useTitle } from '@/kit/useTitle'

export function LibraryPage() {
  useTitle('Library')
  const navigate = useNavigate()
  return (
    <div className="sheet">
      <header>
        <h1>Library</h1>
        <div className="row end">
          <ImportAgent
            onImported={(agentId) => void navigate({ to: '/library/agents/$agentId', params: { agentId } })}
          />
          <Link className="button plain" to="/build">
            New agent
          </Link>
        </div>
      </header>
      <AgentTable />
    </div>
  )
}
