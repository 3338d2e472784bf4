import { useState } from 'react'
import { say } from '@/kit/say'
import { announce } from './announce'
import { Button } from './Button'
import { toast } from './toasts'

export function CopyButton({ text, label = say('common.copy') }: { text: string; label?: string }) {
  const [done, setDone] = useState(false)

  async function copy() {
    try {
      await navigator.clipboard.writeText(text) // over plain http there is no clipboard at all
    } catch {
      toast(say('common.copyRefused'), { tone: 'bad' })
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
