import type { Schemas } from '@/api/shapes'
import { useCopyAgent, useRollbackAgent } from '@/features/agents/queries'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { toast, toastProblem } from '@/ui/toasts'
import './versions.css'

type Props = {
  agent: Schemas['AgentDetail']
  /** Why it is this version: it was asked for, or a run used it. */
  because: 'version' | 'run'
  onLatest: () => void
  onCopied: (agent_id: string) => void
}

/** What is shown is no longer what is in use: it can be looked at, brought back, or begun anew from. */
export function ReadOnlyBanner({ agent, because, onLatest, onCopied }: Props) {
  const restore = useRollbackAgent(agent.id)
  const copy = useCopyAgent(agent.id)
  const { version } = agent
  const name = say('versions.copyName', { name: agent.name })
  const why = because === 'run' ? 'versions.banner.run' : 'versions.banner.old'
  return (
    <section className="builder-banner" aria-label={say('versions.banner')}>
      <span>{say(why, { version })}</span>
      <span className="end" />
      <Button tiny look="plain" onClick={onLatest}>
        {say('versions.latest')}
      </Button>
      <Button
        tiny
        look="plain"
        writes
        busy={restore.isPending}
        onClick={() =>
          restore.mutate(version, {
            onSuccess: (saved) => {
              toast(say('versions.restored', { from: version, version: saved.version }))
              onLatest()
            },
            onError: toastProblem,
          })
        }
      >
        {say('versions.restore.short')}
      </Button>
      <Button
        tiny
        look="plain"
        writes
        busy={copy.isPending}
        onClick={() =>
          copy.mutate(
            { graph: { ...agent.graph, name }, version },
            { onSuccess: (made) => onCopied(made.id), onError: toastProblem },
          )
        }
      >
        {say('versions.duplicate')}
      </Button>
    </section>
  )
}
