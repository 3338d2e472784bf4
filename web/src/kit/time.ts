import { say } from './say'

let zone: string | undefined

/** Times are told in the zone of the profile; until it is known, in the browser's. */
export function tellTimesIn(timezone: string): void {
  zone = isZone(timezone) ? timezone : undefined
}

function isZone(timezone: string): boolean {
  try {
    return Intl.DateTimeFormat(undefined, { timeZone: timezone }) !== null
  } catch {
    return false // one that this browser has not heard of
  }
}

/** A moment in the reader's own words and zone. */
export function moment(wire: string | null): string {
  if (wire === null) return ''
  return new Date(wire).toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    timeZone: zone,
  })
}

/** How long something took, as people say it. */
export function duration(from: string | null, to: string | null): string {
  if (from === null || to === null) return ''
  return elapsed(Date.parse(to) - Date.parse(from))
}

export function elapsed(millis: number): string {
  if (millis < 1000) return `${Math.max(0, Math.round(millis))} ms`
  if (millis < 60_000) return `${(millis / 1000).toFixed(1)} s`
  return `${Math.floor(millis / 60_000)} min ${Math.round((millis % 60_000) / 1000)} s`
}

const words = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })

/** Under a day as a distance, else as a date. */
export function ago(wire: string, now: number): string {
  const seconds = Math.round((Date.parse(wire) - now) / 1000)
  if (Math.abs(seconds) < 45) return say('common.now')
  if (Math.abs(seconds) < 3_600) return words.format(Math.round(seconds / 60), 'minute')
  if (Math.abs(seconds) < 86_400) return words.format(Math.round(seconds / 3_600), 'hour')
  return new Date(wire).toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: zone })
}

export function isSameDay(wire: string, now: number): boolean {
  const day = (at: Date) => at.toLocaleDateString('en-CA', { timeZone: zone })
  return day(new Date(wire)) === day(new Date(now))
}
