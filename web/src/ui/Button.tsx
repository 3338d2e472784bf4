import type { ButtonHTMLAttributes } from 'react'
import { Icon, type IconName } from './Icon'

type Look = 'plain' | 'ghost' | 'danger'
type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  busy?: boolean
  look?: Look
  tiny?: boolean
  icon?: IconName
}

export function Button({ busy = false, look, tiny, icon, disabled, className, children, ...rest }: Props) {
  const classes = ['button', look, tiny && 'tiny', children === undefined && 'square', className]
  return (
    <button
      type="button"
      {...rest}
      className={classes.filter(Boolean).join(' ')}
      disabled={busy || disabled}
      aria-busy={busy || undefined}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}
