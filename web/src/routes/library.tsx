import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { ImportAgent } from '@/features/agents/ImportAgent'
import { LibraryTable } from '@/features/library/LibraryTable'
import { LibraryTools } from '@/features/library/LibraryTools'
import type { LibraryView } from '@/features/library/view'
import { say } from '@/kit/say'
import { useTitle } from '@/kit/useTitle'

export function LibraryPage() {
  useTitle(say('agents.library'))
  const view = useSearch({ from: '/library' })
  const navigate = useNavigate()
  const onView = useCallback(
    // Every letter of a search would be a step for Back; a filter or an order is one.
    (search: LibraryView, typing = false) => void navigate({ to: '/library', search, replace: typing }),
    [navigate],
  )
  return (
    <div className="sheet">
      <header>
        <h1>{say('agents.library')}</h1>
        <div className="row end">
          <ImportAgent
            onImported={(agentId) => void navigate({ to: '/library/agents/$agentId', params: { agentId } })}
          />
          <Link className="button" to="/build">
            {say('agents.new')}
          </Link>
        </div>
      </header>
      <LibraryTools view={view} onView={onView} />
      <LibraryTable view={view} onView={onView} />
    </div>
  )
}
