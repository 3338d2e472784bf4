export type FieldFault = { path: string; message: string }

type Facts = {
  code: string
  message: string
  hint: string | null
  status: number
  faults?: FieldFault[]
  request_id?: string | null
}

/** What the server said went wrong, in words for people (`message`, `hint`) and for programs (`code`). */
export class ApiProblem extends Error {
  readonly code: string
  readonly hint: string | null
  readonly status: number
  readonly faults: FieldFault[]
  readonly requestId: string | null

  constructor(facts: Facts) {
    super(facts.message)
    this.name = 'ApiProblem'
    this.code = facts.code
    this.hint = facts.hint
    this.status = facts.status
    this.faults = facts.faults ?? []
    this.requestId = facts.request_id ?? null
  }
}

/** Read an error body; anything unexpected still becomes a problem that can be shown. */
export function problemOf(body: unknown, status: number): ApiProblem {
  const fields = asRecord(body)
  return new ApiProblem({
    code: text(fields.code) ?? 'internal',
    message: text(fields.message) ?? `The server answered ${status}.`,
    hint: text(fields.hint),
    status,
    faults: faultsOf(asRecord(fields.detail).errors),
    request_id: text(fields.request_id),
  })
}

function faultsOf(value: unknown): FieldFault[] {
  if (!Array.isArray(value)) return []
  return value.map(asRecord).map((fault) => ({
    path: Array.isArray(fault.path) ? fault.path.join('.') : (text(fault.path) ?? ''),
    message: text(fault.message) ?? 'not accepted',
  }))
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
