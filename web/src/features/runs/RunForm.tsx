import { type FormEvent, useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { SchemaInput } from '@/features/forms/SchemaInput'
import { fieldsOf, valuesOf, written } from '@/features/forms/schema'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { ErrorPanel } from '@/ui/States'
import { CredentialChoices } from './CredentialChoices'
import { DryRunChoice } from './DryRunChoice'
import { REAL, tried } from './dryRun'
import { useStartRun } from './queries'
import { useCredentials } from './useCredentials'

type Props = {
  agent: Schemas['AgentOut']
  /** What the fields begin with: the inputs of an earlier run. */
  initial?: Readonly<Record<string, unknown>>
  /** A run that has ended, whose values a dry run can give again. */
  records?: string | null
  onStarted: (run_id: string) => void
}

/** Start the version that is shown. */
export function RunForm({ agent, initial: given = {}, records = null, onStarted }: Props) {
  const start = useStartRun(agent.id)
  const credentials = useCredentials(agent.id, agent.version)
  const [trial, setTrial] = useState(REAL)
  const [refused, setRefused] = useState<string | null>(null)
  const form = fieldsOf(agent.input_schema)
  const [typed, setTyped] = useState(() =>
    Object.fromEntries(
      form.map(({ name, initial }) => [name, Object.hasOwn(given, name) ? written(given[name]) : initial]),
    ),
  )

  function submit(event: FormEvent) {
    event.preventDefault()
    try {
      setRefused(null)
      const inputs = valuesOf(form, typed)
      start.mutate(
        tried({ inputs, version: agent.version, credentials: credentials.asked }, trial, records),
        { onSuccess: (run) => onStarted(run.id) },
      )
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
      {!trial.dry && <CredentialChoices {...credentials} onChoose={credentials.choose} />}
      <DryRunChoice trial={trial} records={records} onChange={setTrial} />
      {credentials.problem && <ErrorPanel problem={credentials.problem} />}
      {refused && <ErrorPanel problem={{ message: refused }} />}
      {start.error && <ErrorPanel problem={start.error} />}
      <div>
        <Button type="submit" icon="play" writes busy={start.isPending}>
          {say(trial.dry ? 'runs.goDry' : 'runs.go')}
        </Button>
      </div>
    </form>
  )
}
