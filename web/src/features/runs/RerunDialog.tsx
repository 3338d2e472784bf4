import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '@/api/shapes'
import { agentById } from '@/features/agents/queries'
import { say } from '@/kit/say'
import { Dialog } from '@/ui/Dialog'
import { ErrorPanel, SkeletonRows } from '@/ui/States'
import { RunForm } from './RunForm'

type Props = { run: Schemas['RunOut']; onClose: () => void; onStarted: (run_id: string) => void }

/** The same version once more, beginning with the inputs that this run had. */
export function RerunDialog({ run, onClose, onStarted }: Props) {
  const { data, error, refetch } = useQuery(agentById(run.agent_id, run.version))
  return (
    <Dialog title={say('runs.againTitle')} onClose={onClose}>
      {error && <ErrorPanel problem={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows rows={2} />}
      {data && (
        <RunForm
          agent={data}
          initial={run.inputs}
          records={run.dry_run ? null : run.id}
          onStarted={onStarted}
        />
      )}
    </Dialog>
  )
}
