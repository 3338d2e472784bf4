import { useState } from 'react'
import { say } from '@/kit/say'
import { elapsed } from '@/kit/time'
import { Icon } from '@/ui/Icon'
import { LazyMarkdown } from '@/ui/LazyMarkdown'
import type { ReasoningItem } from './view'

/** What the model thought before it answered: there for who wants it, out of the way otherwise. */
export function Reasoning({ item }: { item: ReasoningItem }) {
  const [open, setOpen] = useState(false)
  if (item.done && item.text.trim() === '') return null
  const label =
    item.ended_at === null
      ? say('chat.thinking')
      : say('chat.thoughtFor', { time: elapsed(Date.parse(item.ended_at) - Date.parse(item.at)) })
  return (
    <div className="reasoning">
      <button type="button" className="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="thought" /> {label} <Icon name={open ? 'down' : 'right'} />
      </button>
      {open && (
        <div className="reasoning-text quiet">
          <LazyMarkdown text={item.text} />
        </div>
      )}
    </div>
  )
}
