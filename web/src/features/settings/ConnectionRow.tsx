import { useState } from 'react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { ErrorPanel } from '@/ui/States'
import { toast } from '@/ui/toasts'
import { type Connection, useDeleteModelConnection, useTestModelConnection } from './connections'
import { labelOf } from './kinds'

/** A provider that is connected, whether it answered when it was last tried, and what can be done about it. */
export function ConnectionRow({ connection }: { connection: Connection }) {
  const [removing, setRemoving] = useState(false)
  const test = useTestModelConnection()
  const stored = connection.source === 'stored'
  const models = connection.model ? `${connection.name}/${connection.model}` : connection.name

  return (
    <tr>
      <td className="wide">
        <strong>{models}</strong>
        <div className="quiet small">
          {labelOf(connection.kind)}
          {connection.key_hint && say('settings.keyEnds', { hint: connection.key_hint })}
          {!stored && say('settings.fromEnvironment')}
        </div>
        {test.error && <ErrorPanel problem={test.error} />}
      </td>
      <td className="spare">
        <Outcome connection={connection} />
      </td>
      <td>
        {stored && (
          <div className="row">
            <Button
              tiny
              look="plain"
              writes
              busy={test.isPending}
              aria-label={say('settings.testNamed', { name: connection.name })}
              onClick={() => test.mutate(connection.id, { onSuccess: (tested) => toast(tested.message) })}
            >
              {say('settings.test')}
            </Button>
            <Button
              tiny
              look="ghost"
              writes
              aria-label={say('settings.removeNamed', { name: connection.name })}
              onClick={() => setRemoving(true)}
            >
              {say('settings.remove')}
            </Button>
          </div>
        )}
        {removing && <Removal connection={connection} onClose={() => setRemoving(false)} />}
      </td>
    </tr>
  )
}

function Outcome({ connection }: { connection: Connection }) {
  if (connection.source !== 'stored' || !connection.tested_at) return null
  return connection.test_code === null ? (
    <span>{say('settings.answered')}</span>
  ) : (
    <span className="fault">{say('settings.failed', { code: connection.test_code })}</span>
  )
}

function Removal({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const remove = useDeleteModelConnection()
  return (
    <Dialog title={say('settings.removeTitle', { name: connection.name })} onClose={onClose}>
      <div className="stack">
        <p>{say('settings.removeWhy')}</p>
        {remove.error && <ErrorPanel problem={remove.error} />}
        <div className="row">
          <Button
            writes
            look="danger"
            busy={remove.isPending}
            onClick={() =>
              remove.mutate(connection.id, {
                onSuccess: () => {
                  onClose()
                  toast(say('settings.removed', { name: connection.name }))
                },
              })
            }
          >
            {say('settings.remove')}
          </Button>
          <Button look="plain" onClick={onClose}>
            {say('settings.keepIt')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
