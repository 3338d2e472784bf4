import { text } from '@/kit/json'
import { say } from '@/kit/say'
import { inWords } from '@/kit/words'
import { Icon } from '@/ui/Icon'
import { StatusBadge } from '@/ui/StatusBadge'
import type { CardProps } from './ResultCard'

/** Work that outlasted its call: which tool's, and how it stands by now. */
export function BackgroundCard({ output, background }: CardProps) {
  const tool = text(output.tool)
  if (tool === null) return null
  return (
    <section className="card wraps" aria-label={say('chat.backgroundWork')}>
      <Icon name="clock" />
      <div className="card-text">
        <strong>{inWords(tool)}</strong>
        <StatusBadge status={background ?? text(output.status) ?? 'running'} />
      </div>
      <code className="quiet small end">{text(output.background_id)}</code>
    </section>
  )
}
