import { useId } from 'react'
import { useAllAgents } from '@/features/agents/useAllAgents'
import { text } from '@/kit/json'
import { say } from '@/kit/say'
import type { FieldProps } from './props'

/** One of one's own agents, by name. */
export function AgentField({ label, help, value, fault, disabled, onChange }: FieldProps) {
  const id = useId()
  const agents = useAllAgents()
  const now = text(value) ?? ''
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className="input"
        disabled={disabled}
        aria-invalid={fault ? true : undefined}
        value={now}
        onChange={(event) => onChange(event.target.value || undefined)}
      >
        <option value="">{say('forms.no_agent')}</option>
        {now !== '' && !agents.some((agent) => agent.id === now) && <option value={now}>{now}</option>}
        {agents.map((agent) => (
          <option key={agent.id} value={agent.id}>
            {agent.name || agent.id}
          </option>
        ))}
      </select>
      {fault && <span className="fault small">{fault}</span>}
      {help && <span className="quiet small">{help}</span>}
    </div>
  )
}
