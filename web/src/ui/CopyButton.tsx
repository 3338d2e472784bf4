import { useState } from 'react'
import { say } from '@/kit/say'
import { announce } from './announce'
import { Button } from './Button'

export function CopyButton({ text, label = say('common.copy') }: { text: string; label?: string }) {
  const [done, setDone] = useState(false)

  async function copy() {
    await navigator.clipboard.writeText(text)
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
