import { say } from '@/kit/say'

/** Among other facts of a run: it was only tried. */
export function DryRunBadge() {
  return <span className="badge dry">{say('runs.dryRunBadge')}</span>
}

/** What that means, where a run is looked at by itself. */
export function DryRunNote({ mode }: { mode: string | null }) {
  return (
    <p role="note" className="dry-note">
      {say(mode === 'simulate' ? 'runs.dryRunSimulated' : 'runs.dryRunNote')}
    </p>
  )
}
