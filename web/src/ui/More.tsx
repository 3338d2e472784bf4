import { say } from '@/kit/say'
import { Button } from './Button'

type Props = { there: boolean; busy: boolean; label?: string; onMore: () => void }

/** The way to the next page of a list, while there is one. */
export function More({ there, busy, label = say('common.more'), onMore }: Props) {
  if (!there) return null
  return (
    <div>
      <Button look="plain" busy={busy} onClick={onMore}>
        {label}
      </Button>
    </div>
  )
}
