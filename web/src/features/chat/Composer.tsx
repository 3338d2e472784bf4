import {
  type KeyboardEvent,
  type Ref,
  useContext,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { ApiProblem } from '@/api/errors'
import { say } from '@/kit/say'
import { useHotkey } from '@/kit/useHotkey'
import { Button } from '@/ui/Button'
import { useWrite, WritesOff } from '@/ui/writes'
import { draftOf, joined, keepDraft } from './drafts'

const MOST = 64_000
const COUNT_FROM = 60_000

/** What others may do with what is being written. */
export type Writing = { putBefore: (text: string) => void }

type Props = {
  ref?: Ref<Writing>
  sessionId: string | null
  busy: boolean
  stopping: boolean
  pilot: React.ReactNode
  onSend: (text: string) => Promise<void>
  onStop: () => void
}

/** Where messages are written. What is refused comes back, with the reason. */
export function Composer({ ref, sessionId, busy, stopping, pilot, onSend, onStop }: Props) {
  const [text, setText] = useState(() => draftOf(sessionId))
  const [refused, setRefused] = useState<string | null>(null)
  const box = useRef<HTMLTextAreaElement>(null)
  const write = useWrite()
  const off = useContext(WritesOff)
  const [triedWhile, setTriedWhile] = useState<string | null>(null)
  const why = off !== null && triedWhile === off ? say('chat.notSent', { why: off }) : refused
  useHotkey({ key: '.', mod: true, overDialogs: true }, () => busy && write(onStop))

  useEffect(() => {
    setText(draftOf(sessionId))
    setRefused(null)
    takeFocus(box.current)
  }, [sessionId])

  function type(typed: string) {
    setText(typed)
    keepDraft(sessionId, typed)
  }

  /** The page may be gone by now, and its box with it: then the draft still has both. */
  function putBefore(back: string) {
    setText((typed) => joined(back, typed))
    keepDraft(sessionId, joined(back, draftOf(sessionId)))
  }

  useImperativeHandle(ref, () => ({
    putBefore: (back: string) => {
      putBefore(back)
      takeFocus(box.current)
    },
  }))

  function send() {
    const message = text.trim()
    if (message === '') return
    type('')
    setRefused(null)
    setTriedWhile(null)
    void attempt(message)
  }

  async function attempt(message: string) {
    try {
      await onSend(message)
    } catch (problem) {
      putBefore(message)
      setRefused(reasonOf(problem instanceof Error ? problem : new Error(String(problem))))
    }
  }

  function pressed(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (off === null) send()
    else setTriedWhile(off)
  }

  return (
    <div className="composer">
      {why && (
        <p role="alert" className="composer-refused">
          {why}
        </p>
      )}
      <div className="composer-box">
        <textarea
          ref={box}
          rows={1}
          aria-label={say('chat.message')}
          placeholder={say(busy ? 'chat.add' : 'chat.ask')}
          maxLength={MOST}
          value={text}
          onChange={(event) => type(event.target.value)}
          onKeyDown={pressed}
        />
        <div className="composer-bar">
          {pilot}
          {text.length > COUNT_FROM && (
            <span className="quiet small">
              {text.length.toLocaleString()} / {MOST.toLocaleString()}
            </span>
          )}
          <span className="end" />
          {busy && (
            <Button look="plain" icon="stop" writes busy={stopping} onClick={onStop}>
              {say(stopping ? 'chat.stopping' : 'chat.stop')}
            </Button>
          )}
          {(!busy || text.trim() !== '') && (
            <Button icon="send" writes disabled={text.trim() === ''} onClick={send}>
              {say(busy ? 'chat.queue' : 'chat.send')}
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}

/** Not on a phone, where the keyboard would cover the page. */
function takeFocus(box: HTMLTextAreaElement | null): void {
  if (matchMedia('(min-width: 768px)').matches) box?.focus()
}

function reasonOf(problem: Error): string {
  const reset = problem instanceof ApiProblem ? problem.detail.resets_at : null
  const when =
    typeof reset === 'string' ? ` ${say('chat.resets', { time: new Date(reset).toLocaleString() })}` : ''
  const hint = problem instanceof ApiProblem && problem.hint ? ` ${problem.hint}` : ''
  return say('chat.notSent', { why: `${problem.message}${hint}${when}` })
}
