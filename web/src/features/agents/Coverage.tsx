import type { ReactNode } from 'react'
import type { Schemas } from '@/api/shapes'
import { inline } from '@/kit/json'
import { say, sayCount } from '@/kit/say'

type Report = Schemas['CoverageOut']

/** What an import adds, what it needs, and what does not come along. */
export function Coverage({ report }: { report: Report }) {
  const missing = [
    ...report.placeholders.map((part) =>
      say('agents.import.placeholder', { node: part.node_id, block: part.block_id }),
    ),
    ...report.disabled.map((part) => say('agents.import.off', { node: part.node_id })),
  ]
  return (
    <div className="stack tight">
      <p>
        {say('agents.import.supported', { supported: report.supported, nodes: report.nodes })}
        {report.sub_agents > 0 && `, ${sayCount('agents.import.children', report.sub_agents)}`}.
      </p>
      {report.runnable && <p>{say('agents.import.ready')}</p>}
      {report.credentials_needed.length > 0 && (
        <p>{say('agents.import.credentials', { providers: report.credentials_needed.join(', ') })}</p>
      )}
      {missing.length > 0 && (
        <>
          <p>{say('agents.import.kept')}</p>
          <Lines items={missing} />
        </>
      )}
      <Part title={say('agents.import.changed')} items={report.changed.map(changedLine)} />
      <Part title={say('agents.import.dropped')} items={report.dropped.map(droppedLine)} />
      <p className="quiet">{say('agents.import.inert')}</p>
    </div>
  )
}

function Part({ title, items }: { title: string; items: readonly string[] }): ReactNode {
  if (items.length === 0) return null
  return (
    <details>
      <summary>
        {title} ({items.length})
      </summary>
      <Lines items={items} />
    </details>
  )
}

function Lines({ items }: { items: readonly string[] }) {
  return (
    <ul className="small">
      {[...new Set(items)].map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  )
}

function changedLine(note: Report['changed'][number]): string {
  const to = note.to === null ? say('agents.import.nothing') : inline(note.to)
  return say('agents.import.changedFromTo', {
    field: note.field,
    node: note.node_id,
    from: inline(note.from),
    to,
    reason: note.reason,
  })
}

function droppedLine(note: Report['dropped'][number]): string {
  const told = { field: note.field, node: note.node_id, reason: note.reason }
  return note.node_id === '$agent'
    ? say('agents.import.droppedWhole', told)
    : say('agents.import.droppedOf', told)
}
