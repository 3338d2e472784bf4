import { text } from '@/kit/json'

const STATUSES = ['running', 'attention', 'idle', 'never_run'] as const
const SORTS = ['created', 'changed', 'last_run', 'name'] as const

export type LibraryStatus = (typeof STATUSES)[number]

/** What of the library is looked at; the address holds it. What is usual is left out. */
export type LibraryView = {
  q?: string
  status?: LibraryStatus
  sort?: (typeof SORTS)[number]
  order?: 'asc' | 'desc'
  favourite?: true
}

export const LIBRARY_STATUSES: readonly LibraryStatus[] = STATUSES

/** A view from an address; what an address cannot ask for is as if it were not there. */
export function libraryView(search: Record<string, unknown>): LibraryView {
  const q = text(search.q)?.trim().slice(0, 100)
  const status = STATUSES.find((one) => one === search.status)
  const sort = SORTS.find((one) => one === search.sort)
  const order = (['asc', 'desc'] as const).find((one) => one === search.order)
  return {
    ...(q ? { q } : {}),
    ...(status ? { status } : {}),
    ...(sort ? { sort } : {}),
    ...(order ? { order } : {}),
    ...(search.favourite === true ? { favourite: true as const } : {}),
  }
}
