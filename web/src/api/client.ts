import createClient, { type Middleware } from 'openapi-fetch'
import { ApiProblem, problemOf } from './errors'
import type { paths } from './schema.gen'

// The token that proves that a request came from our own page; it is bound to the session and kept in memory only.
let csrf: string | null = null

export function rememberCsrf(token: string | null): void {
  csrf = token
}

const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

const proof: Middleware = {
  onRequest({ request }) {
    if (csrf !== null && UNSAFE.has(request.method)) request.headers.set('X-CSRF-Token', csrf)
    return request
  },
}

export const api = createClient<paths>({ baseUrl: '/' })
api.use(proof)

type Answer<T> = { data?: T; error?: unknown; response: Response }

/** The body of a good answer; throws an `ApiProblem` for any other. */
export async function unwrap<T>(asked: Promise<Answer<T>>): Promise<T> {
  return (await good(asked)).data as T
}

/** A good answer itself, its body not yet read (`parseAs: 'stream'`). */
export async function unwrapped(asked: Promise<Answer<unknown>>): Promise<Response> {
  return (await good(asked)).response
}

async function good<T>(asked: Promise<Answer<T>>): Promise<Answer<T>> {
  const answer = await asked.catch(() => {
    throw new ApiProblem({
      code: 'unreachable',
      message: 'The server does not answer.',
      hint: 'Is it running? Try again in a moment.',
      status: 0,
    })
  })
  if (answer.error !== undefined || !answer.response.ok)
    throw problemOf(answer.error, answer.response.status, answer.response.headers)
  return answer
}
