import type { ButtonHTMLAttributes } from 'react'
import { Icon, type IconName } from './Icon'
import { useHeld } from './writes'

type Look = 'plain' | 'ghost' | 'danger'
type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  busy?: boolean
  /** It changes something on the server: off, with the reason, while nothing can be changed. */
  writes?: boolean
  look?: Look
  tiny?: boolean
  icon?: IconName
}

export function Button({ busy = false, writes = false, look, tiny, icon, ...props }: Props) {
  const { disabled, className, children, ...rest } = props
  const held = useHeld(writes && !busy && !disabled)
  const classes = ['button', look, tiny && 'tiny', children === undefined && 'square', className]
  return (
    <button
      type="button"
      title={children === undefined ? rest['aria-label'] : undefined} // what a picture alone stands for
      {...rest}
      {...held}
      className={classes.filter(Boolean).join(' ')}
      disabled={busy || disabled}
      aria-busy={busy || undefined}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}
