/** The one-time token of a set-up link, which stands after the `#` so that no server log ever holds it. */
export function setupToken(hash: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, '')).get('token')
}
