import { type Fields, fields, list, text } from '@/kit/json'

export type FieldFault = { path: string; message: string }

type Facts = {
  code: string
  message: string
  hint: string | null
  status: number
  faults?: FieldFault[]
  request_id?: string | null
  retry_after?: number | null
  detail?: Fields
}

/** What the server said went wrong, in words for people (`message`, `hint`) and for programs (`code`). */
export class ApiProblem extends Error {
  readonly code: string
  readonly hint: string | null
  readonly status: number
  readonly faults: FieldFault[]
  readonly requestId: string | null
  /** Seconds to wait before it makes sense to ask again. */
  readonly retryAfter: number | null
  readonly detail: Fields

  constructor(facts: Facts) {
    super(facts.message)
    this.name = 'ApiProblem'
    this.code = facts.code
    this.hint = facts.hint
    this.status = facts.status
    this.faults = facts.faults ?? []
    this.requestId = facts.request_id ?? null
    this.retryAfter = facts.retry_after ?? null
    this.detail = facts.detail ?? {}
  }
}

/** Read an error body; anything unexpected still becomes a problem that can be shown. */
export function problemOf(body: unknown, status: number, headers?: Headers): ApiProblem {
  const said = fields(body)
  const wait = Number(headers?.get('Retry-After') ?? Number.NaN)
  return new ApiProblem({
    code: text(said.code) ?? 'internal',
    message: text(said.message) ?? `The server answered ${status}.`,
    hint: text(said.hint),
    status,
    faults: faultsOf(fields(said.detail).errors),
    request_id: text(said.request_id),
    retry_after: Number.isFinite(wait) ? wait : null,
    detail: fields(said.detail),
  })
}

function faultsOf(value: unknown): FieldFault[] {
  return list(value)
    .map(fields)
    .map((fault) => ({
      path: Array.isArray(fault.path) ? fault.path.join('.') : (text(fault.path) ?? ''),
      message: text(fault.message) ?? 'not accepted',
    }))
}
