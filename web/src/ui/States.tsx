import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { say } from '@/kit/say'
import { Button } from './Button'
import { Grown } from './Grown'
import { Icon, type IconName } from './Icon'

export type Problem = {
  message: string
  code?: string
  hint?: string | null
  requestId?: string | null
  faults?: readonly { path: string; message: string }[]
}

/** What went wrong, what to do about it, and a way to try again. */
export function ErrorPanel({ problem, onRetry }: { problem: Problem; onRetry?: (() => void) | undefined }) {
  return (
    <div role="alert" className="problem">
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
      {(problem.code || problem.requestId) && (
        <span className="quiet small">{[problem.code, problem.requestId].filter(Boolean).join(' · ')}</span>
      )}
      {onRetry && (
        <div>
          <Button
            look="plain"
            onClick={(event) => {
              // The button goes away with the panel; whoever holds the focus on it reads on in the page.
              event.currentTarget.closest('main')?.focus({ preventScroll: true })
              onRetry()
            }}
          >
            {say('common.retry')}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Nothing is here yet: what belongs here, why it helps, and one thing to do. */
export function EmptyState({
  icon,
  title,
  children,
}: {
  icon: IconName
  title: string
  children: ReactNode
}) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** The same page for what does not exist and what is somebody else's. */
export function AbsentPage() {
  return (
    <EmptyState icon="search" title={say('shell.absent')}>
      <p className="quiet">{say('shell.absentWhy')}</p>
      <Link className="button plain" to="/">
        {say('shell.goHome')}
      </Link>
    </EmptyState>
  )
}

export function Skeleton({ width = '100%', height }: { width?: string; height?: string }) {
  return <span className="skeleton" style={{ width, height }} />
}

/** Rows in the layout that the data will have. */
export function SkeletonRows({ rows = 8 }: { rows?: number }) {
  return (
    <div className="table-frame" role="status" aria-label={say('common.loading')}>
      <table>
        <tbody>
          <Grown of={Array.from({ length: rows })}>
            {(_, row) => (
              <tr>
                <td className="wide">
                  <Skeleton width={`${30 + ((row * 17) % 40)}%`} />
                </td>
                <td>
                  <Skeleton width="80px" />
                </td>
              </tr>
            )}
          </Grown>
        </tbody>
      </table>
    </div>
  )
}
