import { useState } from 'react'
import { say } from '@/kit/say'
import { Icon } from '@/ui/Icon'
import { Value } from '@/ui/Value'
import { ResultCard } from './cards/ResultCard'
import { howItEnded, took, whatRan } from './toolWords'
import type { ToolItem, ToolStatus } from './view'

const TONES: Record<ToolStatus, string> = {
  preparing: 'busy',
  running: 'busy',
  background: 'busy',
  completed: 'good',
  failed: 'bad',
  cancelled: 'quiet',
}

type Props = { item: ToolItem; onSend: ((text: string) => void) | null }

/** Exactly one row per call: what ran, and how it ended. What it gave stands in a card below, if it has one. */
export function ToolCall({ item, onSend }: Props) {
  const [open, setOpen] = useState(false)
  return (
    <div className="tool">
      <button type="button" className="tool-row" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'down' : 'right'} />
        <span className="tool-what">{whatRan(item)}</span>
        <span className="status tool-ended" data-tone={TONES[item.status]}>
          <span>{howItEnded(item)}</span>
        </span>
        {took(item) && <span className="quiet small tool-took">{took(item)}</span>}
      </button>
      {open && <ToolDetails item={item} />}
      <ResultCard item={item} onSend={onSend} />
    </div>
  )
}

function ToolDetails({ item }: { item: ToolItem }) {
  return (
    <div className="tool-details stack tight">
      <span className="quiet small">{say('chat.input')}</span>
      <Value value={item.input ?? item.typed} />
      {item.error && (
        <p className="bad">
          {item.error.message} <code>{item.error.code}</code>
        </p>
      )}
      {item.output !== undefined && (
        <>
          <span className="quiet small">{say('chat.output')}</span>
          <Value value={item.output} />
        </>
      )}
    </div>
  )
}
