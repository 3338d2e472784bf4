import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Schemas } from '@/api/shapes'
import { toastProblem } from '@/ui/toasts'
import { allLists, type Entry } from './queries'

type Pages = InfiniteData<Schemas['Page_EntryOut_'], string | null>
type Mark = { agent_id: string; favourite: boolean }

/** Shown at once in every list; a refusal puts them back and says why. */
export function useMarkFavourite() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ agent_id, favourite }: Mark) =>
      unwrap(
        api.PATCH('/api/library/agents/{agent_id}', { params: { path: { agent_id } }, body: { favourite } }),
      ),
    onMutate: async (mark) => {
      await cache.cancelQueries({ queryKey: allLists })
      const before = cache.getQueriesData<Pages>({ queryKey: allLists })
      cache.setQueriesData<Pages>({ queryKey: allLists }, (known) => known && marked(known, mark))
      return before
    },
    onError: (problem, _, before) => {
      for (const [key, known] of before ?? []) cache.setQueryData(key, known)
      toastProblem(problem)
    },
    onSettled: () => cache.invalidateQueries({ queryKey: allLists }),
  })
}

/** The pages of a list with the mark on its entry. Pure. */
export function marked(list: Pages, { agent_id, favourite }: Mark): Pages {
  const mark = (entry: Entry) => (entry.id === agent_id ? { ...entry, favourite } : entry)
  return { ...list, pages: list.pages.map((page) => ({ ...page, items: page.items.map(mark) })) }
}
