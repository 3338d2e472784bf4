import { Link } from '@tanstack/react-router'
import { RunValue } from '@/features/runs/RunValue'
import { useLiveRun } from '@/features/runs/useRun'
import { fields, text } from '@/kit/json'
import { say } from '@/kit/say'
import { Grown } from '@/ui/Grown'
import { Icon } from '@/ui/Icon'
import { StatusBadge } from '@/ui/StatusBadge'
import type { CardProps } from './ResultCard'

/** A run: its status as it is now, not as it was when the tool answered, and what it has given so far. */
export function RunCard({ output }: CardProps) {
  const execution = fields(output.execution)
  const runId = text(output.execution_id) ?? text(execution.execution_id)
  if (runId === null) return null
  const name = text(output.graph_name) ?? text(output.agent_name) ?? say('chat.run')
  return (
    <LiveRunCard runId={runId} name={name} told={text(output.status) ?? text(execution.status) ?? 'queued'} />
  )
}

function LiveRunCard({ runId, name, told }: { runId: string; name: string; told: string }) {
  const { log, status } = useLiveRun(runId)
  return (
    <section className="card wraps" aria-label={say('chat.run')}>
      <Icon name="play" />
      <div className="card-text">
        <strong>{name}</strong>
        <StatusBadge status={status ?? told} />
      </div>
      <Link className="button plain end" to="/library/runs/$runId" params={{ runId }}>
        {say('chat.openRun')}
      </Link>
      {log.reason && <p className="bad card-more">{log.reason}</p>}
      {log.results.length > 0 && (
        <dl className="card-more card-outputs">
          <Grown of={log.results.slice(0, 12)}>
            {(result) => (
              <div>
                <dt className="quiet">{result.name}</dt>
                <dd>
                  <RunValue runId={runId} value={result.value} />
                </dd>
              </div>
            )}
          </Grown>
        </dl>
      )}
    </section>
  )
}
