/** Any JSON value: text as text, the rest as it is written. */
export function Value({ value }: { value: unknown }) {
  if (typeof value === 'string') return <span className="value">{value}</span>
  return <pre className="value">{JSON.stringify(value, null, 2)}</pre>
}
