import { ApiProblem } from '@/api/errors'
import { fields, inline, list } from '@/kit/json'

const MOST = 10

/** Why a file was refused: every fault that the server names, as far as anybody reads. */
export function ImportProblem({ problem }: { problem: Error }) {
  const issues = problem instanceof ApiProblem ? list(problem.detail.issues).map(fields) : []
  const faults = issues.filter((issue) => issue.severity === 'error').map((issue) => inline(issue.message))
  return (
    <div role="alert" className="stack tight">
      <p>{problem.message}</p>
      {faults.length > 0 && (
        <ul className="small">
          {[...new Set(faults)].slice(0, MOST).map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
      {problem instanceof ApiProblem && problem.hint && <p className="quiet">{problem.hint}</p>}
    </div>
  )
}
