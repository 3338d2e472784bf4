import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { ImportDialog } from '@/features/library/ImportDialog'
import { LibraryTable } from '@/features/library/LibraryTable'
import { LibraryTools } from '@/features/library/LibraryTools'
import type { LibraryView } from '@/features/library/view'
import { say } from '@/kit/say'
import { useTitle } from '@/kit/useTitle'
import { Button } from '@/ui/Button'

export function LibraryPage() {
  useTitle(say('agents.library'))
  const view = useSearch({ from: '/library' })
  const navigate = useNavigate()
  const [importing, setImporting] = useState(false)
  const onView = useCallback(
    // Every letter of a search would be a step for Back; a filter or an order is one.
    (search: LibraryView, typing = false) => void navigate({ to: '/library', search, replace: typing }),
    [navigate],
  )
  return (
    <div className="sheet">
      <header>
        <h1>{say('agents.library')}</h1>
        <Button className="end" look="plain" writes onClick={() => setImporting(true)}>
          {say('agents.import')}
        </Button>
        <Link className="button plain" to="/build">
          {say('agents.new')}
        </Link>
      </header>
      <LibraryTools view={view} onView={onView} />
      <LibraryTable view={view} onView={onView} />
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
    </div>
  )
}
