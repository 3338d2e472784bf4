export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
}

/** Every zone this browser knows. */
export function zones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone')]
}
