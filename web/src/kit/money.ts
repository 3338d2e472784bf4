/** Money is counted in millionths of a dollar; what is less than a cent is told with as many places as it needs. */
export function dollars(microdollars: number): string {
  if (microdollars === 0) return '$0.00'
  const amount = microdollars / 1_000_000
  return `$${amount.toFixed(amount >= 0.01 ? 2 : 6).replace(/(\.\d\d\d*?)0+$/, '$1')}`
}
