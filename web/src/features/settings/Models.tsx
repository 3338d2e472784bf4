import { useQuery } from '@tanstack/react-query'
import { useFlag } from '@/features/accounts/useFlag'
import { ErrorPanel, SkeletonRows } from '@/ui/States'
import { ConnectionRow } from './ConnectionRow'
import { ConnectModel } from './ConnectModel'
import { chatModels, connections, useAdministers } from './connections'

/** Who answers; administrators connect, try and remove providers here. */
export function Models() {
  const connected = useFlag('model_connected')
  const administers = useAdministers()
  return (
    <section className="panel stack" aria-labelledby="models">
      <h2 id="models">Models</h2>
      {connected ? (
        <Answering />
      ) : (
        <p>
          The built-in <strong>offline pilot</strong> answers. It understands a small, documented set of
          requests, costs nothing and needs no network.{' '}
          {administers
            ? 'Connect a model to write as you like: paste a provider’s key, or name a server on this machine such as Ollama.'
            : 'An administrator can connect a model here.'}
        </p>
      )}
      {administers && (
        <>
          <Connections />
          <ConnectModel />
        </>
      )}
    </section>
  )
}

/** The model that a new chat asks, in words. */
function Answering() {
  const { data } = useQuery(chatModels)
  const cell = data?.cells.find(({ mode, tier }) => mode === 'extended_thinking' && tier === 'standard')
  if (!cell) return <p>A model is connected. Each answer names the one that gave it.</p>
  if (!cell.available) return <p className="fault">{cell.model} is chosen, and cannot be used.</p>
  return (
    <p>
      <strong>{cell.model}</strong> answers. Each answer names the model that gave it.
    </p>
  )
}

function Connections() {
  const { data, error, isPending, refetch } = useQuery(connections)
  if (error) return <ErrorPanel problem={error} onRetry={() => void refetch()} />
  if (isPending) return <SkeletonRows rows={2} />
  if (data.length === 0) return null
  return (
    <div className="table-frame">
      <table aria-label="Connections">
        <tbody>
          {data.map((connection) => (
            <ConnectionRow key={connection.id} connection={connection} />
          ))}
        </tbody>
      </table>
    </div>
  )
}
