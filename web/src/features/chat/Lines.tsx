import { Link } from '@tanstack/react-router'
import { elapsed } from '@/kit/time'
import { Icon } from '@/ui/Icon'
import { LazyMarkdown } from '@/ui/LazyMarkdown'
import { When } from '@/ui/When'
import type { EndItem, ErrorItem, NoticeItem } from './view'

/** Something to know, in one thin line. */
export function NoticeLine({ item }: { item: NoticeItem }) {
  return (
    <div className="notice-line" data-level={item.level}>
      <Icon name={item.level === 'info' ? 'clock' : 'warning'} />
      <div>
        <LazyMarkdown text={item.message} />
        {item.code === 'offline_pilot' && <Link to="/settings">How to connect a model</Link>}
      </div>
    </div>
  )
}

export function ErrorCard({ item }: { item: ErrorItem }) {
  return (
    <div role="alert" className="problem">
      <strong>{item.message}</strong>
      <span className="small">
        <code>{item.code}</code> {item.retryable && 'Sending the message again may help.'}
      </span>
    </div>
  )
}

const ENDINGS: Record<string, string> = { cancelled: 'Stopped', failed: 'Failed' }

/** The last line of a turn: how it ended, when, how long it took and who answered. */
export function TurnEnd({ item, model }: { item: EndItem; model: string | null }) {
  const ending = ENDINGS[item.status] ?? (item.silent ? 'Finished without a message' : null)
  return (
    <p className="turn-end quiet small">
      {ending && <span>{ending}</span>}
      <When at={item.at} />
      {item.duration_ms !== null && <span>{elapsed(item.duration_ms)}</span>}
      {model && <span>{model === 'offline' ? 'Offline pilot' : model}</span>}
    </p>
  )
}
