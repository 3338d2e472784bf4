/** A moment in the reader's own words and zone. */
export function moment(wire: string | null): string {
  return wire === null
    ? ''
    : new Date(wire).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
}

/** How long something took, as people say it. */
export function duration(from: string | null, to: string | null): string {
  if (from === null || to === null) return ''
  const millis = Date.parse(to) - Date.parse(from)
  if (millis < 1000) return `${millis} ms`
  if (millis < 60_000) return `${(millis / 1000).toFixed(1)} s`
  return `${Math.floor(millis / 60_000)} min ${Math.round((millis % 60_000) / 1000)} s`
}
