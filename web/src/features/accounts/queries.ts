import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, rememberCsrf, unwrap } from '@/api/client'
import { ApiProblem } from '@/api/errors'
import type { Schemas } from '@/api/shapes'
import { forgetDrafts } from '@/features/chat/drafts'
import { tellTimesIn } from '@/kit/time'
import { settleAll } from '@/ui/removals'
import { toastProblem } from '@/ui/toasts'
import { forgetSetupToken } from './setupToken'

const all = ['accounts'] as const

/** Where a visitor stands: the house has no owner, nobody is signed in, or this one is. */
export type Standing =
  | { kind: 'needs_owner' }
  | { kind: 'stranger' }
  | { kind: 'signed_in'; me: Schemas['MeOut'] }

export const standing = queryOptions({
  queryKey: [...all, 'standing'],
  queryFn: findStanding,
  staleTime: 60_000,
})

async function findStanding(): Promise<Standing> {
  const { needs_owner, signed_in } = await unwrap(api.GET('/api/setup/status'))
  if (needs_owner) return { kind: 'needs_owner' }
  if (!signed_in) return { kind: 'stranger' }
  try {
    return signedIn(await unwrap(api.GET('/api/auth/me')))
  } catch (problem) {
    if (problem instanceof ApiProblem && problem.status === 401) return { kind: 'stranger' }
    throw problem
  }
}

function signedIn(me: Schemas['MeOut']): Standing {
  rememberCsrf(me.csrf_token)
  tellTimesIn(me.user.timezone)
  return { kind: 'signed_in', me }
}

function useEntrance<Ask>(enter: (ask: Ask) => Promise<Schemas['MeOut']>) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: enter,
    meta: { entrance: true },
    onSuccess: (me) => cache.setQueryData(standing.queryKey, signedIn(me)),
  })
}

export function useCreateOwner() {
  return useEntrance(async (body: Schemas['OwnerIn']) => {
    const me = await unwrap(api.POST('/api/setup/owner', { body }))
    forgetSetupToken()
    return me
  })
}

export function useLogin() {
  return useEntrance((body: Schemas['SignInIn']) => unwrap(api.POST('/api/auth/login', { body })))
}

export function useLogout() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      await settleAll() // a stranger may delete nothing, also not what waited for an undo
      await unwrap(api.POST('/api/auth/logout'))
    },
    onError: toastProblem,
    onSuccess: () => {
      forgetDrafts()
      rememberCsrf(null)
      cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== all[0] })
      cache.setQueryData(standing.queryKey, { kind: 'stranger' })
    },
  })
}

export function useChangeMe() {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: Schemas['UserPatch']) => unwrap(api.PATCH('/api/me', { body })),
    onSuccess: (user) =>
      cache.setQueryData(standing.queryKey, (known): Standing | undefined =>
        known?.kind === 'signed_in' ? signedIn({ ...known.me, user }) : known,
      ),
  })
}

export function useChangePassword() {
  return useEntrance((body: Schemas['PasswordIn']) => unwrap(api.POST('/api/auth/password', { body })))
}
