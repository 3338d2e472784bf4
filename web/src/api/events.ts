/** Follow a log from an event id on. The browser reconnects by itself and sends the last id it saw. */
export function follow<T>(
  url: string,
  handle: { event: (event: T) => void; state: (state: 'open' | 'lost') => void },
): () => void {
  const source = new EventSource(url)
  source.onopen = () => handle.state('open')
  source.onerror = () => handle.state('lost')
  source.onmessage = (message) => handle.event(JSON.parse(message.data as string) as T)
  return () => source.close()
}
