import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Schemas } from '@/api/shapes'
import { sayIfKnown } from '@/kit/say'
import { toastProblem } from '@/ui/toasts'

export type ApiKey = Schemas['ApiKeyOut']
export type NewApiKey = Schemas['pilothouse__features__accounts__schemas__ApiKeyIn']
export type Scope = NewApiKey['scopes'][number]

export const SCOPES: readonly Scope[] = [
  'identity',
  'agents:read',
  'agents:write',
  'agents:run',
  'runs:read',
  'runs:write',
  'blocks:read',
  'blocks:run',
  'schedules:read',
  'schedules:write',
  'files:read',
  'files:write',
  'library:write',
  'marketplace:read',
  'credentials:read',
  'credentials:write',
  'tools:use',
  'chat:use',
]

/** What a key with this scope may do. */
export function wordsOf(scope: string): string {
  return sayIfKnown(`settings.scope.${scope.replace(':', '_')}`) ?? ''
}

const all = ['api-keys'] as const

export const apiKeyList = infiniteQueryOptions({
  queryKey: [...all, 'list'],
  queryFn: ({ pageParam }) =>
    unwrap(api.GET('/api/api-keys', { params: { query: pageParam === null ? {} : { cursor: pageParam } } })),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor,
})

/** A key that has ended or is suspended is refused; any other is taken. */
export function stateOf(key: ApiKey, now: number): 'active' | 'suspended' | 'expired' {
  if (key.expires_at !== null && Date.parse(key.expires_at) <= now) return 'expired'
  return key.suspended_at === null ? 'active' : 'suspended'
}

export function useCreateApiKey() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: NewApiKey) => unwrap(api.POST('/api/api-keys', { body })),
    onSuccess: () => cache.invalidateQueries({ queryKey: all }),
  })
}

/** Shown at once; a refusal puts it back and says why. */
export function useSuspendApiKey() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ key, suspend }: { key: ApiKey; suspend: boolean }) => {
      const at = { params: { path: { api_key_id: key.id } } }
      return unwrap(
        suspend
          ? api.POST('/api/api-keys/{api_key_id}/suspend', at)
          : api.POST('/api/api-keys/{api_key_id}/resume', at),
      )
    },
    onMutate: async ({ key, suspend }) => {
      await cache.cancelQueries({ queryKey: all })
      const before = cache.getQueryData(apiKeyList.queryKey)
      const changed = { ...key, suspended_at: suspend ? new Date().toISOString() : null }
      cache.setQueryData(
        apiKeyList.queryKey,
        (known) =>
          known && {
            ...known,
            pages: known.pages.map((page) => ({
              ...page,
              items: page.items.map((one) => (one.id === key.id ? changed : one)),
            })),
          },
      )
      return before
    },
    onError: (problem, _, before) => {
      cache.setQueryData(apiKeyList.queryKey, before)
      toastProblem(problem)
    },
    onSettled: () => cache.invalidateQueries({ queryKey: all }),
  })
}

export function useDeleteApiKey() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (api_key_id: string) =>
      unwrap(api.DELETE('/api/api-keys/{api_key_id}', { params: { path: { api_key_id } } })),
    onSuccess: () => cache.invalidateQueries({ queryKey: all }),
  })
}
