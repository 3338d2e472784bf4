import { useState } from 'react'
import { fields, text as textIn } from '@/kit/json'
import { say } from '@/kit/say'
import { announce } from './announce'
import { Button } from './Button'
import { toast } from './toasts'

/** A text, or how to fetch it when it is wanted. */
export type Copied = string | (() => Promise<string>)

export function CopyButton({ text, label = say('common.copy') }: { text: Copied; label?: string }) {
  const [done, setDone] = useState(false)

  async function copy() {
    const coming = typeof text === 'string' ? text : text()
    try {
      await put(coming) // over plain http there is no clipboard at all
    } catch {
      await Promise.resolve(coming).then(
        () => toast(say('common.copyRefused'), { tone: 'bad' }),
        toastUnfetched,
      )
      return
    }
    setDone(true)
    announce(say('common.copied'))
    setTimeout(() => setDone(false), 1_500)
  }

  return (
    <Button
      tiny
      look="ghost"
      icon={done ? 'check' : 'copy'}
      aria-label={label}
      title={label}
      onClick={() => void copy()}
    />
  )
}

/** A text that is still on its way is promised at once: browsers forget the click while it is awaited. */
function put(coming: string | Promise<string>): Promise<void> {
  if (typeof coming === 'string') return navigator.clipboard.writeText(coming)
  const type = 'text/plain'
  const blob = coming.then((words) => new Blob([words], { type }))
  blob.catch(() => undefined) // without a clipboard nobody waits for it; its failure is told by who asked
  return navigator.clipboard.write([new ClipboardItem({ [type]: blob })])
}

function toastUnfetched(problem: unknown): void {
  const why = problem instanceof Error ? problem.message : ''
  toast(say('common.copyNotFetched', { why }), { tone: 'bad', requestId: textIn(fields(problem).requestId) })
}
