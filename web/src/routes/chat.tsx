import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { standing } from '@/features/accounts/queries'
import { Chat } from '@/features/chat/Chat'
import { sessionList } from '@/features/chat/queries'
import { SessionList } from '@/features/chat/SessionList'
import { Welcome } from '@/features/chat/Welcome'
import { say } from '@/kit/say'
import { useTitle } from '@/kit/useTitle'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { preloadMarkdown } from '@/ui/LazyMarkdown'

export function ChatPage() {
  const { sessionId } = useParams({ strict: false })
  const { data } = useQuery(standing)
  const title = useQuery(sessionList).data?.sessions.find((session) => session.id === sessionId)?.title
  const [listed, setListed] = useState(false)
  useEffect(preloadMarkdown, [])
  useTitle(sessionId === undefined ? say('shell.autopilot') : title || say('shell.chat'))
  const shownTitle = sessionId === undefined ? say('shell.newChat') : title || say('shell.chat')
  const name = data?.kind === 'signed_in' ? data.me.user.name : ''

  return (
    <div className="chat-page">
      <SessionList current={sessionId ?? null} />
      <div className="chat-bar">
        <Button look="plain" icon="list" onClick={() => setListed(true)}>
          {say('shell.chats')}
        </Button>
        <span className="clip" title={shownTitle}>
          {shownTitle}
        </span>
      </div>
      {sessionId === undefined ? (
        <Welcome name={name} />
      ) : (
        <Chat key={sessionId} sessionId={sessionId} name={name} />
      )}
      {listed && (
        <Dialog title={say('shell.autopilot')} onClose={() => setListed(false)}>
          <SessionList current={sessionId ?? null} onPick={() => setListed(false)} />
        </Dialog>
      )}
    </div>
  )
}
