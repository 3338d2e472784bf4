import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { say } from '@/kit/say'
import { useNow } from '@/kit/useNow'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { More } from '@/ui/More'
import { EmptyState, ErrorPanel, SkeletonRows } from '@/ui/States'
import { StatusBadge } from '@/ui/StatusBadge'
import { type Column, Table } from '@/ui/Table'
import { toast } from '@/ui/toasts'
import { When } from '@/ui/When'
import { ApiKeyForm } from './ApiKeyForm'
import { type ApiKey, apiKeyList, stateOf, useDeleteApiKey, useSuspendApiKey } from './apiKeys'

/** The keys with which programs come in one's name. */
export function ApiKeys() {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(apiKeyList)
  const now = useNow()
  const suspend = useSuspendApiKey()
  const [creating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<ApiKey | null>(null)
  if (isPending) return <SkeletonRows rows={4} />
  if (error && data === undefined) return <ErrorPanel problem={error} onRetry={() => void refetch()} />
  const keys = data.pages.flatMap((page) => page.items)
  const create = (
    <Button icon="plus" writes onClick={() => setCreating(true)}>
      {say('settings.keyCreate')}
    </Button>
  )
  return (
    <>
      {keys.length === 0 ? (
        <EmptyState icon="settings" title={say('settings.keysNone')}>
          <p className="quiet">{say('settings.keysNoneWhy')}</p>
          {create}
        </EmptyState>
      ) : (
        <>
          <div>{create}</div>
          <Table
            label={say('settings.keys')}
            columns={[...columns(now), actions(now, suspend.mutate, setRevoking)]}
            rows={keys}
            idOf={({ id }) => id}
          />
          <More there={hasNextPage} busy={isFetchingNextPage} onMore={() => void fetchNextPage()} />
        </>
      )}
      {creating && (
        <Dialog title={say('settings.keyCreate')} onClose={() => setCreating(false)}>
          <ApiKeyForm />
        </Dialog>
      )}
      {revoking && <Revocation apiKey={revoking} onClose={() => setRevoking(null)} />}
    </>
  )
}

function columns(now: number): Column<ApiKey>[] {
  return [
    {
      name: 'name',
      head: say('settings.keyName'),
      wide: true,
      cell: (key) => (
        <>
          <strong>{key.name}</strong> <code className="quiet">{key.prefix}…</code>{' '}
          <span className="quiet small">{key.scopes.join(' ')}</span>
        </>
      ),
    },
    {
      name: 'state',
      head: say('settings.keyState'),
      cell: (key) => <StatusBadge status={stateOf(key, now)} />,
    },
    {
      name: 'used',
      head: say('settings.keyLastUsed'),
      cell: ({ last_used_at }) =>
        last_used_at === null ? (
          <span className="quiet">{say('settings.keyNever')}</span>
        ) : (
          <When at={last_used_at} />
        ),
    },
    {
      name: 'expires',
      head: say('settings.expires'),
      cell: ({ expires_at }) =>
        expires_at === null ? (
          <span className="quiet">{say('settings.keyNever')}</span>
        ) : (
          <When at={expires_at} />
        ),
    },
  ]
}

type Suspend = (ask: { key: ApiKey; suspend: boolean }) => void

function actions(now: number, suspend: Suspend, onRevoke: (key: ApiKey) => void): Column<ApiKey> {
  return {
    name: 'actions',
    head: say('agents.menu'),
    plain: true,
    cell: (key) => {
      const state = stateOf(key, now)
      const verb = say(state === 'suspended' ? 'settings.keyResume' : 'settings.keySuspend')
      return (
        <span className="row">
          {state !== 'expired' && (
            <Button
              tiny
              look="plain"
              writes
              aria-label={`${verb} ${key.name}`}
              onClick={() => suspend({ key, suspend: state === 'active' })}
            >
              {verb}
            </Button>
          )}
          <Button
            tiny
            look="ghost"
            writes
            aria-label={`${say('settings.keyRevoke')} ${key.name}`}
            onClick={() => onRevoke(key)}
          >
            {say('settings.keyRevoke')}
          </Button>
        </span>
      )
    },
  }
}

function Revocation({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const revoke = useDeleteApiKey()
  function confirm() {
    revoke.mutate(apiKey.id, {
      onSuccess: () => {
        onClose()
        toast(say('settings.keyRevoked', { name: apiKey.name }))
      },
    })
  }
  return (
    <Dialog title={say('settings.keyRevokeTitle', { name: apiKey.name })} onClose={onClose}>
      <p>{say('settings.keyRevokeWhy')}</p>
      {revoke.error && <ErrorPanel problem={revoke.error} />}
      <div className="actions">
        <Button look="plain" onClick={onClose} autoFocus>
          {say('common.cancel')}
        </Button>
        <Button look="danger" writes busy={revoke.isPending} onClick={confirm}>
          {say('settings.keyRevoke')}
        </Button>
      </div>
    </Dialog>
  )
}
