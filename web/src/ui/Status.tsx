/** A state in words; the colour only repeats them. */
export function Status({ status }: { status: string }) {
  return <span className={`status ${status}`}>{status.replaceAll('_', ' ')}</span>
}
