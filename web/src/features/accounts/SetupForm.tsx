import type { FormEvent } from 'react'
import { ApiProblem } from '@/api/errors'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { ErrorPanel } from '@/ui/States'
import { Entrance } from './Entrance'
import { useCreateOwner } from './queries'
import { useSetupToken } from './setupToken'
import { browserZone, zones } from './zones'

export function SetupForm() {
  const create = useCreateOwner()
  const token = useSetupToken()
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
    <Entrance title={say('accounts.welcome')}>
      <p className="quiet">{say('accounts.owns')}</p>
      <form className="stack" onSubmit={submit}>
        <Field label={say('accounts.name')} name="name" autoComplete="name" required autoFocus />
        <Field label={say('accounts.email')} name="email" type="email" autoComplete="username" required />
        <Field
          label={say('accounts.password')}
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={12}
          required
          help={say('accounts.passwordHelp')}
        />
        <Field
          label={say('accounts.zone')}
          name="timezone"
          list="zones"
          defaultValue={browserZone()}
          required
        />
        <datalist id="zones">
          {zones().map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        <ModelNote />
        {create.error && <ErrorPanel problem={readable(create.error)} />}
        <Button type="submit" writes busy={create.isPending}>
          {say('accounts.createOwner')}
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
    message: say('accounts.linkDead'),
    hint: say('accounts.linkHint'),
  }
}

function ModelNote() {
  return (
    <div className="panel small stack tight">
      <strong>{say('accounts.modelNone')}</strong>
      <p className="quiet">{say('accounts.modelLater')}</p>
    </div>
  )
}

function NoLink() {
  return (
    <Entrance title={say('accounts.noOwner')}>
      <p>
        {say('accounts.linkWhere')} <code>#token=…</code> {say('accounts.linkWhereOnce')}
      </p>
      <p>
        {say('accounts.linkPrint')} <code>pilothouse owner-link</code> {say('accounts.linkPrintWhere')}
      </p>
    </Entrance>
  )
}
