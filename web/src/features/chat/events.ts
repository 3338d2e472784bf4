/** One entry of a session's log, as the server writes it. */
export type ChatEvent = {
  id: number
  session_id: string
  turn_id: string | null
  type: string
  created_at: string
  data: { readonly [field: string]: unknown }
}
