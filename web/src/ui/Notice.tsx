import type { ReactNode } from 'react'

type Problem = { message: string; hint?: string | null; faults?: { path: string; message: string }[] }

/** What went wrong and what to do about it. */
export function Failure({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  return (
    <div role="alert" className="notice bad">
      <strong>{problem.message}</strong>
      {problem.hint && <p>{problem.hint}</p>}
      {problem.faults && problem.faults.length > 0 && (
        <ul>
          {problem.faults.map((fault) => (
            <li key={`${fault.path} ${fault.message}`}>
              <code>{fault.path}</code> {fault.message}
            </li>
          ))}
        </ul>
      )}
      {onRetry && (
        <button type="button" className="button plain" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Nothing is here yet: say what would be, and how to get there. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="notice">
      <strong>{title}</strong>
      {children}
    </div>
  )
}

export function Loading() {
  return (
    <p className="quiet" role="status">
      Loading…
    </p>
  )
}
