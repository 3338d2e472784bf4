import { useQuery } from '@tanstack/react-query'
import { useFlag } from '@/features/accounts/useFlag'
import { say } from '@/kit/say'
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
      <h2 id="models">{say('settings.models')}</h2>
      {connected ? (
        <Answering />
      ) : (
        <p>
          {say('settings.offlineBuiltIn')} <strong>{say('settings.offlinePilot')}</strong>{' '}
          {say('settings.offlineAnswers')}{' '}
          {say(administers ? 'settings.offlineAdmin' : 'settings.offlineMember')}
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
  if (!cell) return <p>{say('settings.connectedAny')}</p>
  if (!cell.available) return <p className="fault">{say('settings.notUsable', { model: cell.model })}</p>
  return (
    <p>
      <strong>{cell.model}</strong> {say('settings.answers')}
    </p>
  )
}

function Connections() {
  const { data, error, isPending, refetch } = useQuery(connections)
  if (error && data === undefined) return <ErrorPanel problem={error} onRetry={() => void refetch()} />
  if (isPending) return <SkeletonRows rows={2} />
  if (data.length === 0) return null
  return (
    <div className="table-frame">
      <table aria-label={say('settings.connections')}>
        <tbody>
          {data.map((connection) => (
            <ConnectionRow key={connection.id} connection={connection} />
          ))}
        </tbody>
      </table>
    </div>
  )
}
