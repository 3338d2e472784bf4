import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { More } from '@/ui/More'
import { EmptyState, ErrorPanel, Skeleton, SkeletonRows } from '@/ui/States'
import { type Column, Table } from '@/ui/Table'
import { When } from '@/ui/When'
import { CredentialForm, kindOf } from './CredentialForm'
import { type Credential, credentialById, credentialList, useDeleteCredential } from './credentials'

const PAGE = 25 // each row asks who uses it

/** What agents may use to reach other services. Values go in and never come out. */
export function Credentials() {
  const { data, error, isPending, refetch } = useQuery(credentialList)
  const [adding, setAdding] = useState(false)
  const [deleting, setDeleting] = useState<Credential | null>(null)
  const [most, setMost] = useState(PAGE)
  if (isPending) return <SkeletonRows rows={4} />
  if (error && data === undefined) return <ErrorPanel problem={error} onRetry={() => void refetch()} />
  const add = (
    <Button icon="plus" writes onClick={() => setAdding(true)}>
      {say('settings.addCredential')}
    </Button>
  )
  return (
    <>
      {data.length === 0 ? (
        <EmptyState icon="settings" title={say('settings.credentialsNone')}>
          <p className="quiet">{say('settings.credentialsNoneWhy')}</p>
          {add}
        </EmptyState>
      ) : (
        <>
          <div>{add}</div>
          <Table
            label={say('settings.credentials')}
            columns={[...COLUMNS, deletion(setDeleting)]}
            rows={data.slice(0, most)}
            idOf={({ id }) => id}
          />
          <More there={data.length > most} busy={false} onMore={() => setMost(most + PAGE)} />
        </>
      )}
      {adding && (
        <Dialog title={say('settings.addCredential')} onClose={() => setAdding(false)}>
          <CredentialForm onDone={() => setAdding(false)} />
        </Dialog>
      )}
      {deleting && <Deletion credential={deleting} onClose={() => setDeleting(null)} />}
    </>
  )
}

const COLUMNS: readonly Column<Credential>[] = [
  {
    name: 'title',
    head: say('settings.credentialTitle'),
    wide: true,
    cell: (credential) => (
      <>
        <strong>{credential.title}</strong> <span className="quiet">{shown(credential)}</span>
      </>
    ),
  },
  { name: 'provider', head: say('settings.credentialProvider'), cell: ({ provider }) => provider },
  { name: 'kind', head: say('settings.credentialKind'), cell: ({ type }) => kindOf(type) },
  { name: 'scopes', head: say('settings.credentialScopes'), cell: ({ scopes }) => scopes.join(' ') },
  { name: 'used', head: say('settings.usedBy'), cell: (credential) => <UsedBy credential={credential} /> },
  {
    name: 'expires',
    head: say('settings.expires'),
    cell: ({ expires_at }) => expires_at && <When at={expires_at} />,
  },
]

function deletion(onDelete: (credential: Credential) => void): Column<Credential> {
  return {
    name: 'delete',
    head: say('common.delete'),
    plain: true,
    cell: (credential) =>
      !credential.system && (
        <Button
          tiny
          look="ghost"
          icon="trash"
          writes
          aria-label={say('settings.credentialDelete', { name: credential.title })}
          onClick={() => onDelete(credential)}
        />
      ),
  }
}

/** What of it tells one from another; nothing of it is secret. */
function shown({ system, hint, username, host, header_names }: Credential): string {
  if (system) return say('settings.forEverybody')
  if (hint) return say('settings.credentialKeyEnds', { hint })
  return [username, host, ...header_names].filter(Boolean).join(' ')
}

function UsedBy({ credential }: { credential: Credential }) {
  const { data } = useQuery({ ...credentialById(credential.id), enabled: !credential.system })
  if (credential.system) return null
  if (!data) return <Skeleton width="60px" />
  if (data.used_by.length === 0) return <span className="quiet">{say('settings.usedByNone')}</span>
  return <Agents users={data.used_by} />
}

function Agents({ users }: { users: readonly { agent_id: string; name: string }[] }) {
  return users.map(({ agent_id, name }, nth) => (
    <span key={agent_id}>
      {nth > 0 && ', '}
      <Link to="/library/agents/$agentId" params={{ agentId: agent_id }}>
        {name || say('common.untitledAgent')}
      </Link>
    </span>
  ))
}

function Deletion({ credential, onClose }: { credential: Credential; onClose: () => void }) {
  const { data, error } = useQuery(credentialById(credential.id))
  const forget = useDeleteCredential()
  return (
    <Dialog title={say('settings.credentialDelete', { name: credential.title })} onClose={onClose}>
      {error && <ErrorPanel problem={error} />}
      {!data && !error && <SkeletonRows rows={1} />}
      {data?.used_by.length === 0 && <p>{say('settings.credentialDeleteFree')}</p>}
      {data && data.used_by.length > 0 && (
        <>
          <p>{say('settings.credentialDeleteUsed')}</p>
          <p>
            <Agents users={data.used_by} />
          </p>
        </>
      )}
      {forget.error && <ErrorPanel problem={forget.error} />}
      <div className="actions">
        <Button look="plain" onClick={onClose} autoFocus>
          {say('common.cancel')}
        </Button>
        <Button
          look="danger"
          writes
          disabled={!data}
          busy={forget.isPending}
          onClick={() => forget.mutate(credential.id, { onSuccess: onClose })}
        >
          {say('common.delete')}
        </Button>
      </div>
    </Dialog>
  )
}
