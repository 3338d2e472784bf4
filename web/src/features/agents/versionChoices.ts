/** The versions that can be chosen, newest first: those that were listed, and those that must be there in any case. */
export function versionChoices(listed: readonly { version: number }[], held: readonly number[]): string[] {
  const versions = new Set([...listed.map(({ version }) => version), ...held])
  return [...versions].sort((a, b) => b - a).map(String)
}
