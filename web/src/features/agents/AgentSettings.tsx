import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '@/api/shapes'
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
  const [asked, setAsked] = useState<Partial<Schemas['AgentSettingsOut']>>({}) // a tick shows at once, a refusal takes it back
  if (isPending) return <SkeletonRows rows={2} />
  if (error && data === undefined) return <ErrorPanel problem={error} onRetry={() => void refetch()} />
  const shown = { ...data, ...asked }

  function ask(wanted: Partial<Schemas['AgentSettingsOut']>) {
    setAsked({ ...asked, ...wanted })
    change.mutate(wanted, { onSettled: () => setAsked({}) })
  }

  return (
    <section className="panel stack" aria-label={say('agents.tabSettings')}>
      <CheckField
        label={say('agents.reviewRequired')}
        help={say('agents.reviewRequiredHelp')}
        checked={shown.review_required}
        onChange={({ target }) => ask({ review_required: target.checked })}
        {...held}
      />
      <CheckField
        label={say('agents.reviewSensitive')}
        help={say('agents.reviewSensitiveHelp')}
        checked={shown.review_sensitive}
        onChange={({ target }) => ask({ review_sensitive: target.checked })}
        {...held}
      />
    </section>
  )
}
