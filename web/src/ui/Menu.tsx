import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { Icon, type IconName } from './Icon'
import { useHeld } from './writes'

export type MenuItem = { label: string; icon?: IconName; danger?: boolean; writes?: boolean; act: () => void }

/** A button with a short list of actions: arrows move, Esc closes and gives the focus back. */
export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(false)
  const held = useHeld()

  function placed(isOpen: boolean) {
    setOpen(isOpen)
    const at = button.current?.getBoundingClientRect()
    const menu = list.current
    if (!isOpen || !at || !menu) return
    const { offsetWidth: width, offsetHeight: height } = menu
    menu.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`
    menu.style.top = `${at.bottom + height + 8 > innerHeight ? Math.max(8, at.top - height - 4) : at.bottom + 4}px`
    menu.querySelector<HTMLElement>('[role=menuitem]')?.focus()
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className="button ghost tiny square dots"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        popoverTarget={id}
      >
        <Icon name="more" />
      </button>
      <div
        ref={list}
        id={id}
        role="menu"
        aria-label={label}
        tabIndex={-1}
        className="menu"
        popover="auto"
        onToggle={(event) => placed(event.newState === 'open')}
        onKeyDown={(event) => moveFocus(event, list.current)}
      >
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            tabIndex={-1}
            className={item.danger ? 'danger' : ''}
            onClick={() => {
              list.current?.hidePopover()
              button.current?.focus()
              item.act()
            }}
            {...(item.writes ? held : undefined)}
          >
            {item.icon && <Icon name={item.icon} />}
            {item.label}
          </button>
        ))}
      </div>
    </>
  )
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }

function moveFocus(event: KeyboardEvent, menu: HTMLElement | null) {
  const items = [...(menu?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const step = STEPS[event.key]
  const next = step !== undefined ? at + step : event.key === 'Home' ? 0 : event.key === 'End' ? -1 : null
  if (event.key === 'Tab') menu?.hidePopover()
  if (next === null) return
  event.preventDefault()
  items.at(next % items.length)?.focus()
}
