import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { followUser } from '@/api/live/live'
import { useNow } from '@/kit/useNow'
import { Button } from '@/ui/Button'
import { Menu } from '@/ui/Menu'
import { ErrorPanel, Skeleton } from '@/ui/States'
import { grouped, stateOf } from './groups'
import { type Session, sessionList, usePinSession } from './queries'
import { DeleteDialog, RenameDialog } from './SessionDialogs'

type Dialogs = { kind: 'rename' | 'delete'; session: Session }

export function SessionList({ current, onPick }: { current: string | null; onPick?: () => void }) {
  const { data, error, isPending, refetch } = useQuery(sessionList)
  const [dialog, setDialog] = useState<Dialogs | null>(null)
  const navigate = useNavigate()
  const now = useNow()
  useSessionNews()

  return (
    <nav className="sessions" aria-label="Chats">
      <div className="sessions-head">
        <h2>Chats</h2>
        <Button
          className="end"
          tiny
          look="plain"
          icon="plus"
          onClick={() => {
            onPick?.()
            void navigate({ to: '/' })
          }}
        >
          New
        </Button>
      </div>
      {isPending && <SessionSkeleton />}
      {error && <ErrorPanel problem={error} onRetry={() => void refetch()} />}
      {data?.sessions.length === 0 && (
        <p className="quiet small sessions-none">What you ask AutoPilot stays here.</p>
      )}
      {grouped(data?.sessions ?? [], now).map((group) => (
        <section key={group.name} aria-label={group.name}>
          <h3 className="quiet small">{group.name}</h3>
          <ul>
            {group.sessions.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                isCurrent={session.id === current}
                onPick={onPick}
                onAsk={(kind) => setDialog({ kind, session })}
              />
            ))}
          </ul>
        </section>
      ))}
      {dialog?.kind === 'rename' && <RenameDialog session={dialog.session} onClose={() => setDialog(null)} />}
      {dialog?.kind === 'delete' && (
        <DeleteDialog
          session={dialog.session}
          isCurrent={dialog.session.id === current}
          onClose={() => setDialog(null)}
        />
      )}
    </nav>
  )
}

/** Sessions change in other tabs and by themselves: the list is looked at again whenever the server hints so. */
function useSessionNews() {
  const cache = useQueryClient()
  useEffect(() => followUser(() => void cache.invalidateQueries({ queryKey: sessionList.queryKey })), [cache])
}

type RowProps = {
  session: Session
  isCurrent: boolean
  onPick: (() => void) | undefined
  onAsk: (kind: Dialogs['kind']) => void
}

function SessionRow({ session, isCurrent, onPick, onAsk }: RowProps) {
  const pin = usePinSession()
  const state = stateOf(session)
  const title = session.title || 'New chat'
  return (
    <li className={isCurrent ? 'session current' : 'session'}>
      <Link
        to="/chat/$sessionId"
        params={{ sessionId: session.id }}
        {...(onPick ? { onClick: onPick } : {})}
        aria-current={isCurrent ? 'page' : undefined}
      >
        <span className="clip">{title}</span>
        {state && (
          <span className="status small end" data-tone={state.tone}>
            <span className="unseen">{state.words}</span>
          </span>
        )}
      </Link>
      <Menu
        label={`Actions for ${title}`}
        items={[
          { label: 'Rename', icon: 'edit', writes: true, act: () => onAsk('rename') },
          {
            label: session.pinned ? 'Unpin' : 'Pin',
            icon: 'pin',
            writes: true,
            act: () => pin(session.id, !session.pinned),
          },
          { label: 'Delete', icon: 'trash', danger: true, writes: true, act: () => onAsk('delete') },
        ]}
      />
    </li>
  )
}

function SessionSkeleton() {
  return (
    <div className="stack sessions-none" role="status" aria-label="Loading">
      {['70%', '55%', '62%', '48%'].map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  )
}
