import { useRef } from 'react'
import { toastProblem } from '@/ui/toasts'
import { Composer } from './Composer'
import { PilotLabel } from './PilotLabel'
import { Suggestions } from './Suggestions'
import { useAnsweringModel } from './useAnsweringModel'
import { useSend } from './useSend'

/** A session that does not exist yet: the first message makes it. */
export function Welcome({ name }: { name: string }) {
  const send = useSend(null)
  const model = useAnsweringModel()
  const leaving = useRef(false) // to the chat of what was sent: a second click picks nothing

  async function post(text: string) {
    leaving.current = true
    try {
      await send(text)
    } catch (problem) {
      leaving.current = false
      throw problem
    }
  }

  function pick(text: string) {
    if (!leaving.current) post(text).catch(toastProblem)
  }

  return (
    <div className="chat">
      <div className="thread-frame">
        <Suggestions name={name} onPick={pick} />
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
