import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { followUser } from '@/api/live/live'
import { say } from '@/kit/say'
import { useNow } from '@/kit/useNow'
import { Button } from '@/ui/Button'
import { Menu } from '@/ui/Menu'
import { useHidden } from '@/ui/removals'
import { ErrorPanel, Skeleton } from '@/ui/States'
import { grouped, stateOf } from './groups'
import { pendingLists, type Session, sessionList, usePinSession } from './queries'
import { RenameDialog } from './SessionDialogs'
import { useDeleteSession } from './useDeleteSession'

export function SessionList({ current, onPick }: { current: string | null; onPick?: () => void }) {
  const { data, error, isPending, refetch } = useQuery(sessionList)
  const [renamed, setRenamed] = useState<Session | null>(null)
  const hidden = useHidden()
  const deleteIt = useDeleteSession(current)
  const navigate = useNavigate()
  const now = useNow()
  const sessions = (data?.sessions ?? []).filter(({ id }) => !hidden.has(id))
  useSessionNews()

  return (
    <nav className="sessions" aria-label={say('chat.label')}>
      <div className="sessions-head">
        <h2>{say('chat.label')}</h2>
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
          {say('chat.new')}
        </Button>
      </div>
      {isPending && <SessionSkeleton />}
      {error && <ErrorPanel problem={error} onRetry={() => void refetch()} />}
      {data && sessions.length === 0 && <p className="quiet small sessions-none">{say('chat.none')}</p>}
      {grouped(sessions, now).map((group) => (
        <section key={group.name} aria-label={group.name}>
          <h3 className="quiet small">{group.name}</h3>
          <ul>
            {group.sessions.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                isCurrent={session.id === current}
                onPick={onPick}
                onRename={() => setRenamed(session)}
                onDelete={() => deleteIt(session)}
              />
            ))}
          </ul>
        </section>
      ))}
      {renamed && <RenameDialog session={renamed} onClose={() => setRenamed(null)} />}
    </nav>
  )
}

/** Sessions, and what waits in them, change in other tabs and by themselves: a hint of the server says when. */
function useSessionNews() {
  const cache = useQueryClient()
  useEffect(() => {
    return followUser(() => {
      void cache.invalidateQueries({ queryKey: sessionList.queryKey })
      void cache.invalidateQueries({ queryKey: pendingLists })
    })
  }, [cache])
}

type RowProps = {
  session: Session
  isCurrent: boolean
  onPick: (() => void) | undefined
  onRename: () => void
  onDelete: () => void
}

function SessionRow({ session, isCurrent, onPick, onRename, onDelete }: RowProps) {
  const pin = usePinSession()
  const state = stateOf(session)
  const title = session.title || say('shell.newChat')
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
        label={say('chat.actions', { title })}
        items={[
          { label: say('chat.rename'), icon: 'edit', writes: true, act: onRename },
          {
            label: say(session.pinned ? 'chat.unpin' : 'chat.pin'),
            icon: 'pin',
            writes: true,
            act: () => pin(session.id, !session.pinned),
          },
          { label: say('common.delete'), icon: 'trash', danger: true, writes: true, act: onDelete },
        ]}
      />
    </li>
  )
}

function SessionSkeleton() {
  return (
    <div className="stack sessions-none" role="status" aria-label={say('common.loading')}>
      {['70%', '55%', '62%', '48%'].map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  )
}
