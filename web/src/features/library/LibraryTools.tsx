import { useEffect, useRef, useState } from 'react'
import { say, sayStatus } from '@/kit/say'
import { LIBRARY_STATUSES, type LibraryStatus, type LibraryView } from './view'

const PAUSE_MILLIS = 250

type Props = { view: LibraryView; onView: (view: LibraryView, typing?: boolean) => void }

/** Search and filter; the address follows once the typing pauses. */
export function LibraryTools({ view, onView }: Props) {
  const [typed, setTyped] = useState(view.q ?? '')
  const told = useRef(view.q ?? '') // what the address was last told from here; its echo is no news

  useEffect(() => {
    const q = view.q ?? ''
    if (q === told.current) return
    told.current = q
    setTyped(q)
  }, [view.q])

  useEffect(() => {
    const { q: before = '', ...rest } = view
    const q = typed.trim()
    if (q === before) return
    const pause = setTimeout(() => {
      told.current = q
      onView(q === '' ? rest : { ...rest, q }, true)
    }, PAUSE_MILLIS)
    return () => clearTimeout(pause)
  }, [typed, view, onView])

  function filter(status: string) {
    const { status: _, ...rest } = view
    onView(status === '' ? rest : { ...rest, status: status as LibraryStatus })
  }

  function onlyFavourites(only: boolean) {
    const { favourite: _, ...rest } = view
    onView(only ? { ...rest, favourite: true } : rest)
  }

  return (
    <div className="toolbar">
      <input
        className="input search"
        type="search"
        aria-label={say('agents.search')}
        placeholder={say('agents.search')}
        maxLength={100}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <select
        className="input"
        aria-label={say('agents.status')}
        value={view.status ?? ''}
        onChange={(event) => filter(event.target.value)}
      >
        <option value="">{say('agents.all')}</option>
        {LIBRARY_STATUSES.map((status) => (
          <option key={status} value={status}>
            {sayStatus(status)}
          </option>
        ))}
      </select>
      <label className="check">
        <input
          type="checkbox"
          checked={view.favourite ?? false}
          onChange={({ target }) => onlyFavourites(target.checked)}
        />
        {say('agents.favourites')}
      </label>
    </div>
  )
}
