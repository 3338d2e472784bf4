import { Composer } from './Composer'
import { PilotLabel } from './PilotLabel'
import { Suggestions } from './Suggestions'
import { useAnsweringModel } from './useAnsweringModel'
import { useSend } from './useSend'

/** A session that does not exist yet: the first message makes it. */
export function Welcome({ name }: { name: string }) {
  const send = useSend(null)
  const model = useAnsweringModel()
  const post = (text: string) =>
    send.mutateAsync({ text, message_id: crypto.randomUUID() }).then(() => undefined)
  return (
    <div className="chat">
      <div className="thread-frame">
        <Suggestions name={name} onPick={(text) => void post(text)} />
      </div>
      <div className="chat-foot">
        <Composer
          sessionId={null}
          busy={false}
          stopping={false}
          pilot={<PilotLabel model={model} />}
          onSend={post}
          onStop={() => undefined}
        />
      </div>
    </div>
  )
}
