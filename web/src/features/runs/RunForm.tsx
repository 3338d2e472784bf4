import { type FormEvent, useState } from 'react'
import type { Schemas } from '@/api/shapes'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { Failure } from '@/ui/Notice'
import { fieldsOf, type InputField, valuesOf } from './inputs'
import { useStartRun } from './queries'

type Props = { agent: Schemas['AgentOut']; onStarted: (run_id: string) => void }

export function RunForm({ agent, onStarted }: Props) {
  const start = useStartRun(agent.id)
  const [refused, setRefused] = useState<string | null>(null)
  const fields = fieldsOf(agent.input_schema)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const typed = typedIn(fields, new FormData(event.currentTarget))
    try {
      setRefused(null)
      start.mutate(valuesOf(fields, typed), { onSuccess: (run) => onStarted(run.id) })
    } catch (problem) {
      setRefused(problem instanceof Error ? problem.message : String(problem))
    }
  }

  return (
    <form className="narrow" onSubmit={submit}>
      {fields.length === 0 && <p className="quiet">This agent takes no inputs.</p>}
      {fields.map((field) => (
        <InputOf key={field.name} field={field} />
      ))}
      <Button type="submit" busy={start.isPending}>
        Run
      </Button>
      {refused && <Failure problem={{ message: refused }} />}
      {start.error && <Failure problem={start.error} />}
    </form>
  )
}

/** A box left open is an answer too, though browsers do not send it. */
function typedIn(fields: InputField[], form: FormData): Record<string, string> {
  const typed = (field: InputField) =>
    field.kind === 'boolean' ? String(form.has(field.name)) : String(form.get(field.name) ?? '')
  return Object.fromEntries(fields.map((field) => [field.name, typed(field)]))
}

function InputOf({ field }: { field: InputField }) {
  if (field.kind === 'boolean') {
    return (
      <div className="field">
        <label>
          <input type="checkbox" name={field.name} value="true" defaultChecked={field.initial === 'true'} />{' '}
          {field.label}
        </label>
        {field.help && <small className="quiet">{field.help}</small>}
      </div>
    )
  }
  return (
    <Field
      label={field.label}
      name={field.name}
      defaultValue={field.initial}
      required={field.required && field.kind !== 'text'}
      inputMode={field.kind === 'number' || field.kind === 'integer' ? 'decimal' : 'text'}
      help={field.kind === 'json' ? `${field.help ?? ''} JSON, or plain text.`.trim() : field.help}
    />
  )
}
