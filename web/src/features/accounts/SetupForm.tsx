import { type FormEvent, useState } from 'react'
import { ApiProblem } from '@/api/errors'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { ErrorPanel } from '@/ui/States'
import { Entrance } from './Entrance'
import { useCreateOwner } from './queries'
import { keptSetupToken } from './setupToken'
import { browserZone, zones } from './zones'

export function SetupForm() {
  const create = useCreateOwner()
  const [token] = useState(keptSetupToken)
  if (token === null) return <NoLink />

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const typed = (name: string) => String(form.get(name) ?? '')
    create.mutate({
      token: token ?? '',
      name: typed('name'),
      email: typed('email'),
      password: typed('password'),
      timezone: typed('timezone') || 'UTC',
    })
  }

  return (
    <Entrance title="Welcome aboard">
      <p className="quiet">This account owns the installation. The link that brought you here works once.</p>
      <form className="stack" onSubmit={submit}>
        <Field label="Name" name="name" autoComplete="name" required autoFocus />
        <Field label="E-mail" name="email" type="email" autoComplete="username" required />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={12}
          required
          help="At least 12 characters."
        />
        <Field label="Time zone" name="timezone" list="zones" defaultValue={browserZone()} required />
        <datalist id="zones">
          {zones().map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        <ModelNote />
        {create.error && <ErrorPanel problem={readable(create.error)} />}
        <Button type="submit" writes busy={create.isPending}>
          Create the owner
        </Button>
      </form>
    </Entrance>
  )
}

/** A link that is wrong, used or late: what matters is how to get another. */
function readable(problem: Error) {
  if (!(problem instanceof ApiProblem) || problem.code === 'setup_done') return problem
  const isLink =
    [401, 403, 404, 410].includes(problem.status) || problem.faults.some(({ path }) => /token/.test(path))
  if (!isLink) return problem
  return {
    code: problem.code,
    message: 'This link does not work (any more).',
    hint: 'It works once, for 24 hours. Run `pilothouse owner-link` where the server runs to print a new one.',
  }
}

function ModelNote() {
  return (
    <div className="panel small stack tight">
      <strong>No model is connected yet</strong>
      <p className="quiet">
        The built-in offline pilot answers until one is: it builds, runs and explains simple agents, with no
        account anywhere. To connect a model later, see Settings.
      </p>
    </div>
  )
}

function NoLink() {
  return (
    <Entrance title="This house has no owner yet">
      <p>
        Open the link that the server printed when it started; it ends in <code>#token=…</code> and works
        once, for 24 hours.
      </p>
      <p>
        To print a new one, run <code>pilothouse owner-link</code> where the server runs.
      </p>
    </Entrance>
  )
}
