import type { ReactNode } from 'react'

/** Parts of a page that have addresses of their own; its children are links, and the one in use says so itself. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className="tabs" aria-label={label}>
      {children}
    </nav>
  )
}
