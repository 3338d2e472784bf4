import type { HTMLAttributes, Ref } from 'react'

type Props = HTMLAttributes<HTMLElement> & { 'aria-label': string; ref?: Ref<HTMLElement> }

/** What scrolls inside the page; the keyboard reaches it, so that its arrows scroll it. */
export function ScrollFrame({ children, ...rest }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section tabIndex={0} {...rest}>
      {children}
    </section>
  )
}
