import { memo } from 'react'
import { say, sayCount } from '@/kit/say'
import { LazyMarkdown } from '@/ui/LazyMarkdown'
import { ErrorCard, NoticeLine, TurnEnd } from './Lines'
import { Reasoning } from './Reasoning'
import { ToolCall } from './ToolCall'
import type { ChatView, Item, UserItem } from './view'

type Props = {
  view: ChatView
  onSend: (text: string) => void
  onEdit: (text: string) => void
  onRetry: () => void
}

/** The log, item by item, in its order. */
export function Thread({ view, ...acts }: Props) {
  const lastUser = view.items.findLast((item) => item.kind === 'user')
  const lastError = view.items.findLast((item) => item.kind === 'error')
  return view.items.map((item) => (
    <Row
      key={`${item.kind}-${item.id}-${'message_id' in item ? item.message_id : ''}`}
      item={item}
      model={item.turn_id === null ? null : (view.turns[item.turn_id]?.model ?? null)}
      isLatest={item.id >= (lastUser?.id ?? 0) && (item.kind !== 'error' || item === lastError)}
      isIdle={view.active === null}
      {...acts}
    />
  ))
}

type RowProps = Omit<Props, 'view'> & { item: Item; model: string | null; isLatest: boolean; isIdle: boolean }

const Row = memo(
  (props: RowProps) => (
    <div className="item" data-event-id={props.item.id} data-kind={props.item.kind}>
      <Content {...props} />
    </div>
  ),
  (a, b) => a.item === b.item && a.model === b.model && a.isLatest === b.isLatest && a.isIdle === b.isIdle,
)

function Content({ item, model, isLatest, isIdle, onSend, onEdit, onRetry }: RowProps) {
  switch (item.kind) {
    case 'user':
      return <UserBubble item={item} onEdit={onEdit} />
    case 'text':
      return item.text === '' ? null : <LazyMarkdown text={item.text} />
    case 'reasoning':
      return <Reasoning item={item} />
    case 'tool':
      return <ToolCall item={item} onSend={isLatest && isIdle ? onSend : null} />
    case 'notice':
      return <NoticeLine item={item} />
    case 'error':
      return <ErrorCard item={item} onRetry={isLatest && isIdle ? onRetry : null} />
    case 'end':
      return <TurnEnd item={item} model={model} />
  }
}

function UserBubble({ item, onEdit }: { item: UserItem; onEdit: (text: string) => void }) {
  return (
    <div className="bubble-row">
      <button type="button" className="button ghost tiny bubble-edit" onClick={() => onEdit(item.text)}>
        {say('chat.edit')}
      </button>
      <div className="bubble">
        <span className="unseen">{say('chat.you')} </span>
        {item.text}
        {item.files > 0 && <div className="quiet small">{sayCount('chat.files', item.files)}</div>}
      </div>
    </div>
  )
}
