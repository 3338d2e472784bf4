import { useState } from 'react'
import { announce } from './announce'
import { Button } from './Button'

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [done, setDone] = useState(false)

  async function copy() {
    await navigator.clipboard.writeText(text)
    setDone(true)
    announce('Copied')
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
