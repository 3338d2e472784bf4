import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'

/** The credentials that may be chosen; never their values. */
export const credentialChoices = queryOptions({
  queryKey: ['credentials', 'choices'],
  queryFn: () => unwrap(api.GET('/api/credentials')),
  staleTime: 30_000,
})
