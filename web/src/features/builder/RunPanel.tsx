import { Link } from '@tanstack/react-router'
import type { Schemas } from '@/api/shapes'
import { RunForm } from '@/features/runs/RunForm'
import { RunOutputs } from '@/features/runs/RunOutputs'
import type { LiveRun } from '@/features/runs/useRun'
import { Button } from '@/ui/Button'
import { ErrorPanel } from '@/ui/States'
import { StatusBadge } from '@/ui/StatusBadge'

type Props = {
  agent: Schemas['AgentDetail']
  isDirty: boolean
  onSave: () => void
  onStarted: (run_id: string) => void
  children?: React.ReactNode
}

/** Start the agent from here and watch it on the canvas. */
export function RunPanel({ agent, isDirty, onSave, onStarted, children }: Props) {
  return (
    <section className="stack" aria-label="Run this agent">
      <h2>Run</h2>
      {isDirty ? (
        <>
          <p className="quiet">There are changes that are not saved. A run uses what is saved.</p>
          <div>
            <Button look="plain" writes onClick={onSave}>
              Save first
            </Button>
          </div>
        </>
      ) : (
        <RunForm key={agent.content_hash} agent={agent} onStarted={onStarted} />
      )}
      {children}
    </section>
  )
}

export function RunResult({ runId, live }: { runId: string; live: LiveRun }) {
  return (
    <div className="stack run-result">
      <div className="row">
        <StatusBadge status={live.status ?? 'queued'} />
        <Link className="end" to="/library/runs/$runId" params={{ runId }}>
          Open run
        </Link>
      </div>
      {live.log.reason && <ErrorPanel problem={{ message: live.log.reason }} />}
      <RunOutputs results={live.log.results} over={live.over} />
    </div>
  )
}
