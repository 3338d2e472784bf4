/** How long somebody must wait, in words. */
export function waitOf(seconds: number | null): string {
  if (seconds === null || seconds <= 0) return 'Wait a minute, then try again.'
  if (seconds < 90) return `Try again in ${Math.ceil(seconds)} ${seconds <= 1 ? 'second' : 'seconds'}.`
  return `Try again in ${Math.ceil(seconds / 60)} minutes.`
}
