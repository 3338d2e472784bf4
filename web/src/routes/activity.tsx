import { useNavigate, useSearch } from '@tanstack/react-router'
import { NeedsYou } from '@/features/runs/NeedsYou'
import { RunTable } from '@/features/runs/RunTable'
import { say } from '@/kit/say'
import { useTitle } from '@/kit/useTitle'

export function ActivityPage() {
  useTitle(say('runs.activity'))
  const view = useSearch({ from: '/activity' })
  const navigate = useNavigate()
  return (
    <div className="sheet">
      <header>
        <h1>{say('runs.activity')}</h1>
      </header>
      <NeedsYou />
      <RunTable view={view} onView={(search) => void navigate({ to: '/activity', search })} />
    </div>
  )
}
