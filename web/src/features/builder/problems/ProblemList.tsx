import { say, sayCount } from '@/kit/say'
import { Icon } from '@/ui/Icon'
import type { Problem } from './problem'

type Props = {
  problems: readonly Problem[]
  titles: (nodeId: string) => string | null
  onGo: (problem: Problem) => void
}

const MOST = 50

/** Everything that is wrong, worst first; each leads to its place. */
export function ProblemList({ problems, titles, onGo }: Props) {
  if (problems.length === 0) return null
  const worst = problems.toSorted((a, b) => rank(a) - rank(b))
  return (
    <section className="stack tight" aria-label={say('canvas.problems')}>
      <h2>{sayCount('canvas.problem_count', problems.length)}</h2>
      <ul className="problem-list">
        {worst.slice(0, MOST).map((problem) => (
          <li key={`${problem.nodeId} ${problem.field} ${problem.link} ${problem.code} ${problem.message}`}>
            <button
              type="button"
              data-blocks={problem.blocks ?? 'nothing'}
              onClick={() => onGo(problem)}
              disabled={titles(problem.nodeId) === null}
            >
              <Icon name="warning" />
              <span>
                <strong>{titles(problem.nodeId) ?? say('canvas.problem.agent')}</strong> {problem.message}{' '}
                <span className="quiet small">{say(`canvas.blocks.${problem.blocks ?? 'nothing'}`)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function rank({ blocks }: Problem): number {
  return blocks === 'save' ? 0 : blocks === 'run' ? 1 : 2
}
