import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Schemas } from '@/api/shapes'

export type Need = Schemas['CredentialNeedOut']
export type Credential = Schemas['CredentialOut']

/** What is to be chosen before this version runs. */
export function needsOf(agent_id: string, version: number) {
  return queryOptions({
    queryKey: ['agents', agent_id, 'needs', version],
    queryFn: async () =>
      (
        await unwrap(
          api.GET('/api/agents/{agent_id}/needs', { params: { path: { agent_id }, query: { version } } }),
        )
      ).items,
  })
}

/** What the vault holds, as far as it may be told. */
export const vault = queryOptions({
  queryKey: ['credentials'],
  queryFn: async () => (await unwrap(api.GET('/api/credentials'))).items,
})

/** The credentials that can serve a need, in the vault's order. */
export function choicesFor(need: Need, credentials: readonly Credential[]): Credential[] {
  return credentials.filter(
    (one) =>
      (need.providers.length === 0 || need.providers.includes(one.provider)) &&
      (need.types.length === 0 || need.types.includes(one.type)) &&
      need.scopes.every((scope) => one.scopes.includes(scope)),
  )
}

/** What is chosen at first: the only one that fits, where one is required. */
export function firstChoice(need: Need, credentials: readonly Credential[]): string {
  const fitting = choicesFor(need, credentials)
  return need.required && fitting.length === 1 ? (fitting[0]?.id ?? '') : ''
}
