import { AgentTable } from '@/features/agents/AgentTable'
import { useTitle } from '@/kit/useTitle'

export function AgentsPage() {
  useTitle('Agents')
  return (
    <>
      <h1>Agents</h1>
      <AgentTable />
    </>
  )
}
