import { useQuery } from '@tanstack/react-query'
import { duration, moment } from '@/kit/time'
import { Button } from '@/ui/Button'
import { Empty, Failure, Loading } from '@/ui/Notice'
import { Status } from '@/ui/Status'
import { Value } from '@/ui/Value'
import type { LogView } from './log'
import { runById, useCancelRun } from './queries'
import { useRunLog } from './useRunLog'

export function RunView({ runId }: { runId: string }) {
  const run = useQuery(runById(runId))
  const cancel = useCancelRun(runId)
  const { log, lost } = useRunLog(runId)
  if (run.isPending) return <Loading />
  if (run.error) return <Failure problem={run.error} onRetry={() => void run.refetch()} />
  // The log is ahead of the row that was fetched: what it tells wins.
  const started_at = run.data.started_at ?? log.started_at
  const ended_at = run.data.ended_at ?? log.ended_at
  const reason = log.reason ?? run.data.reason?.message
  const over = ended_at !== null

  return (
    <>
      <p>
        <Status status={log.status ?? run.data.status} /> · {moment(run.data.created_at)}{' '}
        {duration(started_at, ended_at)}
      </p>
      {reason && <Failure problem={{ message: reason }} />}
      {lost && !over && (
        <p className="quiet">The connection was lost; it is being opened again. The run goes on.</p>
      )}
      {!over && (
        <Button plain busy={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel
        </Button>
      )}
      {cancel.error && <Failure problem={cancel.error} />}
      <Results log={log} over={over} />
      <Steps log={log} />
    </>
  )
}

function Results({ log, over }: { log: LogView; over: boolean }) {
  return (
    <section aria-label="Outputs" aria-live="polite">
      <h2>Outputs</h2>
      {log.results.length === 0 && (
        <p className="quiet">{over ? 'This run gave no outputs.' : 'None yet.'}</p>
      )}
      <dl>
        {log.results.map((result, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: results are only ever added at the end
          <div key={index}>
            <dt>{result.name}</dt>
            <dd>
              <Value value={result.value} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Steps({ log }: { log: LogView }) {
  const steps = Object.values(log.steps)
  if (steps.length === 0) {
    return (
      <Empty title="No step has started">
        <p>Steps appear here as they run.</p>
      </Empty>
    )
  }
  return (
    <section aria-label="Steps">
      <h2>Steps</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Status</th>
            <th scope="col">Outputs</th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step) => (
            <tr key={step.step_id}>
              <td>
                {step.node_id}
                {step.attempt > 1 && <span className="quiet"> attempt {step.attempt}</span>}
              </td>
              <td>
                <Status status={step.status} />
                {step.error && <div className="quiet">{step.error}</div>}
              </td>
              <td>
                {step.outputs.map((output, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: outputs are only ever added at the end
                  <div key={index}>
                    <span className="quiet">{output.pin}</span> <Value value={output.value} />
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
