import type { ButtonHTMLAttributes } from 'react'

type Props = ButtonHTMLAttributes<HTMLButtonElement> & { busy?: boolean; plain?: boolean }

export function Button({ busy = false, plain = false, disabled, children, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      className={plain ? 'button plain' : 'button'}
      disabled={busy || disabled}
      aria-busy={busy}
    >
      {children}
    </button>
  )
}
