import { csrfHeaders } from './client'
import { ApiProblem, problemOf } from './errors'

/** One request whose answer is JSON or nothing. Throws an `ApiProblem` for any answer that is not good. */
export async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await send(method, path, body)
  return (answer.status === 204 ? undefined : await answer.json()) as T
}

/** The good answer itself, its body unread. */
export async function send(method: string, path: string, body?: object): Promise<Response> {
  const headers: Record<string, string> = method === 'GET' ? {} : csrfHeaders()
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const asked = fetch(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = await asked.catch(() => {
    throw new ApiProblem({
      code: 'unreachable',
      message: 'The server does not answer.',
      hint: 'Is it running? Try again in a moment.',
      status: 0,
    })
  })
  if (answer.ok) return answer
  throw problemOf(await answer.json().catch(() => null), answer.status, answer.headers)
}
