import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { needsOf } from '@/features/agents/queries'
import { SchemaInput } from '@/features/forms/SchemaInput'
import { fieldsOf, valuesOf, written } from '@/features/forms/schema'
import { credentialList } from '@/features/settings/credentials'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { ErrorPanel } from '@/ui/States'
import { CredentialChoices } from './CredentialChoices'
import { useStartRun } from './queries'

type Props = {
  agent: Schemas['AgentOut']
  /** What the fields begin with: the inputs of an earlier run. */
  inputs?: Readonly<Record<string, unknown>>
  onStarted: (run_id: string) => void
}

/** Inputs, and credentials for the needs that the agent does not name itself. */
export function RunForm({ agent, inputs = {}, onStarted }: Props) {
  const start = useStartRun(agent.id)
  const [refused, setRefused] = useState<string | null>(null)
  const form = fieldsOf(agent.input_schema)
  const [typed, setTyped] = useState(() =>
    Object.fromEntries(
      form.map(({ name, initial }) => [name, Object.hasOwn(inputs, name) ? written(inputs[name]) : initial]),
    ),
  )
  const needs = useQuery(needsOf(agent.id, agent.version)).data ?? []
  const credentials = useQuery({ ...credentialList, enabled: needs.length > 0 }).data ?? []
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({})

  function submit(event: FormEvent) {
    event.preventDefault()
    try {
      setRefused(null)
      const given = Object.entries(chosen).filter(([, id]) => id !== '')
      const ask = {
        inputs: valuesOf(form, typed),
        credentials: Object.fromEntries(given.map(([key, id]) => [key, { id }])),
      }
      start.mutate(ask, { onSuccess: (run) => onStarted(run.id) })
    } catch (problem) {
      setRefused(problem instanceof Error ? problem.message : String(problem))
    }
  }

  return (
    <form className="stack" onSubmit={submit}>
      {form.length === 0 && <p className="quiet">{say('runs.noInputs')}</p>}
      {form.map((field) => (
        <SchemaInput
          key={field.name}
          field={field}
          value={typed[field.name] ?? ''}
          onChange={(value) => setTyped((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
      <CredentialChoices
        needs={needs}
        credentials={credentials}
        chosen={chosen}
        onChoose={(key, id) => setChosen((before) => ({ ...before, [key]: id }))}
      />
      {refused && <ErrorPanel problem={{ message: refused }} />}
      {start.error && <ErrorPanel problem={start.error} />}
      <div>
        <Button type="submit" icon="play" writes busy={start.isPending}>
          {say('runs.go')}
        </Button>
      </div>
    </form>
  )
}
