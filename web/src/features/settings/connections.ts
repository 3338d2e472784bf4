import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Schemas } from '@/api/shapes'
import { standing } from '@/features/accounts/queries'

const all = ['models'] as const

export type Connection = Schemas['ConnectionOut']
export type NewConnection = Schemas['ConnectionIn']
export type Tested = Schemas['TestedOut']

export const connections = queryOptions({
  queryKey: [...all, 'connections'],
  queryFn: async () => (await unwrap(api.GET('/api/models/providers'))).items,
})

export const chatModels = queryOptions({
  queryKey: [...all, 'chat'],
  queryFn: () => unwrap(api.GET('/api/chat/models')),
})

/** Whether this visitor may connect models for everybody. */
export function useAdministers(): boolean {
  const { data } = useQuery(standing)
  return data?.kind === 'signed_in' && data.me.role !== 'member'
}

/** After a change: the list, who answers, and the flag that says whether anybody does. */
function useForget() {
  const cache = useQueryClient()
  return () =>
    Promise.all([
      cache.invalidateQueries({ queryKey: all }),
      cache.invalidateQueries({ queryKey: standing.queryKey }),
    ])
}

export type Connected = { tested: Tested; made: Connection | null }

/** Asks the provider for a word first, and keeps the connection only if it answered. */
export function useCreateModelConnection() {
  return useMutation({
    mutationFn: async (body: NewConnection): Promise<Connected> => {
      const tested = await unwrap(api.POST('/api/models/providers/test', { body }))
      if (!tested.ok) return { tested, made: null }
      return { tested, made: await unwrap(api.POST('/api/models/providers', { body })) }
    },
    onSuccess: useForget(),
  })
}

export function useTestModelConnection() {
  return useMutation({
    mutationFn: (connection_id: string) =>
      unwrap(api.POST('/api/models/providers/{connection_id}/test', { params: { path: { connection_id } } })),
    onSuccess: useForget(),
  })
}

export function useDeleteModelConnection() {
  return useMutation({
    mutationFn: (connection_id: string) =>
      unwrap(api.DELETE('/api/models/providers/{connection_id}', { params: { path: { connection_id } } })),
    onSuccess: useForget(),
  })
}
