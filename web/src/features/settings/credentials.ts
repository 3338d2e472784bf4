import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Schemas } from '@/api/shapes'

export type Credential = Schemas['CredentialOut']
export type NewCredential = Schemas['CredentialIn']

const all = ['credentials'] as const

export const credentialList = queryOptions({
  queryKey: [...all, 'list'],
  queryFn: async () => (await unwrap(api.GET('/api/credentials'))).items,
})

/** One credential with the agents that name it. */
export function credentialById(credential_id: string) {
  return queryOptions({
    queryKey: [...all, credential_id],
    queryFn: () =>
      unwrap(api.GET('/api/credentials/{credential_id}', { params: { path: { credential_id } } })),
  })
}

export function useCreateCredential() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: NewCredential) => unwrap(api.POST('/api/credentials', { body })),
    onSuccess: () => cache.invalidateQueries({ queryKey: all }),
  })
}

/** Whoever deletes has been told who uses it. */
export function useDeleteCredential() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (credential_id: string) =>
      unwrap(
        api.DELETE('/api/credentials/{credential_id}', {
          params: { path: { credential_id }, query: { force: true } },
        }),
      ),
    onSuccess: () => cache.invalidateQueries({ queryKey: credentialList.queryKey }),
  })
}

/** What a filled form asks to keep. */
export function credentialOf(kind: NewCredential['type'], form: FormData): NewCredential {
  const filled = (name: string) => String(form.get(name) ?? '').trim()
  const title = filled('title')
  if (kind === 'host_scoped') {
    return {
      type: kind,
      provider: 'http',
      title,
      host: filled('host'),
      headers: { [filled('header')]: filled('value') },
    }
  }
  const provider = filled('provider').toLowerCase()
  if (kind === 'user_password') {
    return { type: kind, title, provider, username: filled('username'), password: filled('password') }
  }
  return { type: 'api_key', title, provider, api_key: filled('api_key') }
}
