import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { useRemovePending } from './queries'

type Props = { sessionId: string; waiting: readonly { message_id: string; text: string }[] }

/** Messages that wait for their turn; each can be taken back until it is taken. */
export function Chips({ sessionId, waiting }: Props) {
  const remove = useRemovePending(sessionId)
  if (waiting.length === 0) return null
  return (
    <ul className="chips" aria-label={say('chat.waitingMessages')}>
      {waiting.map((message) => (
        <li key={message.message_id} className="chip" data-message-id={message.message_id}>
          <span className="quiet small">{say('chat.queued')}</span>
          <span className="clip" title={message.text}>
            {message.text}
          </span>
          <Button
            tiny
            writes
            look="ghost"
            icon="close"
            aria-label={say('chat.takeBack', { message: message.text.slice(0, 60) })}
            disabled={remove.isPending && remove.variables === message.message_id}
            onClick={() => remove.mutate(message.message_id)}
          />
        </li>
      ))}
    </ul>
  )
}
