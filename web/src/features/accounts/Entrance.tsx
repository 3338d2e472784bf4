import type { ReactNode } from 'react'
import { say } from '@/kit/say'
import { Icon } from '@/ui/Icon'

/** The page before the house: its name, and one thing to do. */
export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="entrance">
      <div className="entrance-card">
        <p className="brand">
          <Icon name="wheel" /> {say('shell.brand')}
        </p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}
