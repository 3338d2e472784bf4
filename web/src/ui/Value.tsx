/** Any JSON value: text as text, the rest as it is written. */
export function Value({ value }: { value: unknown }) {
  if (typeof value === 'string') return <span className="value">{value}</span>
  if (value === null || typeof value === 'number' || typeof value === 'boolean') {
    return <code className="value">{String(value)}</code>
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre className="value" tabIndex={0}>
      {JSON.stringify(value, null, 2)}
    </pre>
  )
}
