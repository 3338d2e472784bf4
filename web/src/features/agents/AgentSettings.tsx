import { useQuery } from '@tanstack/react-query'
import { say } from '@/kit/say'
import { CheckField } from '@/ui/Field'
import { ErrorPanel, SkeletonRows } from '@/ui/States'
import { useHeld } from '@/ui/writes'
import { agentSettings, useChangeAgentSettings } from './queries'

/** Whom the agent's runs ask before they go on. */
export function AgentSettings({ agentId }: { agentId: string }) {
  const { data, error, isPending, refetch } = useQuery(agentSettings(agentId))
  const change = useChangeAgentSettings(agentId)
  const held = useHeld()
  if (isPending) return <SkeletonRows rows={2} />
  if (error) return <ErrorPanel problem={error} onRetry={() => void refetch()} />
  return (
    <section className="panel stack" aria-label={say('agents.tabSettings')}>
      <CheckField
        label={say('agents.reviewRequired')}
        help={say('agents.reviewRequiredHelp')}
        checked={data.review_required}
        onChange={({ target }) => change.mutate({ review_required: target.checked })}
        {...held}
      />
      <CheckField
        label={say('agents.reviewSensitive')}
        help={say('agents.reviewSensitiveHelp')}
        checked={data.review_sensitive}
        onChange={({ target }) => change.mutate({ review_sensitive: target.checked })}
        {...held}
      />
    </section>
  )
}
