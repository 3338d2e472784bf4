/** What a link in somebody's text leads to: only pages and mail, never script or data. */
export function safeTarget(href: string): { href: string; outside: boolean } | null {
  const trimmed = href.trim()
  if (/^\/(?![/\\])/.test(trimmed)) return { href: trimmed, outside: false }
  let url: URL
  try {
    url = new URL(trimmed)
  } catch {
    return null
  }
  if (!['http:', 'https:', 'mailto:'].includes(url.protocol)) return null
  return { href: url.href, outside: true }
}

/** Where an image would be fetched from, in words. */
export function hostOf(href: string): string {
  try {
    return new URL(href).host || 'another place'
  } catch {
    return 'another place'
  }
}
