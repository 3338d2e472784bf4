import { Link } from '@tanstack/react-router'
import { say } from '@/kit/say'
import { elapsed } from '@/kit/time'
import { Button } from '@/ui/Button'
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
        {item.code === 'offline_pilot' && <Link to="/settings">{say('chat.howToConnect')}</Link>}
      </div>
    </div>
  )
}

/** Stays at the top of a session that only rehearses. */
export function DryRunLine() {
  return (
    <div role="note" className="notice-line" data-level="warning">
      <Icon name="warning" />
      <div>{say('chat.dryRun')}</div>
    </div>
  )
}

/** `onRetry` is there when the failed turn can be tried again: the message is answered anew, not sent anew. */
export function ErrorCard({ item, onRetry }: { item: ErrorItem; onRetry: (() => void) | null }) {
  return (
    <div role="alert" className="problem">
      <strong>{item.message}</strong>
      <span className="small">
        <code>{item.code}</code>
      </span>
      {item.retryable && onRetry && (
        <Button writes look="plain" tiny onClick={onRetry}>
          {say('common.retry')}
        </Button>
      )}
    </div>
  )
}

const ENDINGS: Record<string, string> = { cancelled: say('chat.stopped'), failed: say('chat.failed') }

/** The last line of a turn: how it ended, when, how long it took and who answered. */
export function TurnEnd({ item, model }: { item: EndItem; model: string | null }) {
  const ending = ENDINGS[item.status] ?? (item.silent ? say('chat.silent') : null)
  return (
    <p className="turn-end quiet small">
      {ending && <span>{ending}</span>}
      <When at={item.at} />
      {item.duration_ms !== null && <span>{elapsed(item.duration_ms)}</span>}
      {model && <span>{model === 'offline' ? say('chat.offlinePilot') : model}</span>}
    </p>
  )
}
