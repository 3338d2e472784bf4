/** Which build of the app a page loads: the name of its script changes with every build. */
export function buildOf(page: Document): string | null {
  return page.querySelector('script[type=module]')?.getAttribute('src') ?? null
}

/** Whether a server is there at all, whatever it says. */
export function serverAnswers(signal: AbortSignal): Promise<boolean> {
  return fetch('/health/live', { signal }).then(
    () => true,
    () => false,
  )
}

/** The build that the server has now; null when it cannot be told. */
export async function runningBuild(signal: AbortSignal): Promise<string | null> {
  try {
    const answer = await fetch('/', { signal, headers: { Accept: 'text/html' } })
    return answer.ok ? buildOf(new DOMParser().parseFromString(await answer.text(), 'text/html')) : null
  } catch {
    return null // away again: the next return asks again
  }
}
