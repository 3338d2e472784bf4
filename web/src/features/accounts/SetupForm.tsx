import { type FormEvent, useState } from 'react'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { Empty, Failure } from '@/ui/Notice'
import { useCreateOwner } from './queries'
import { setupToken } from './setupToken'

export function SetupForm() {
  const create = useCreateOwner()
  const [token] = useState(() => setupToken(window.location.hash))

  if (token === null) {
    return (
      <Empty title="This house has no owner yet">
        <p>
          Open the link that the server printed when it started; it ends in <code>#token=…</code>. If you no
          longer have it, <code>pilothouse owner-link</code> prints a new one.
        </p>
      </Empty>
    )
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    create.mutate({
      token: token ?? '',
      name: String(form.get('name')),
      email: String(form.get('email')),
      password: String(form.get('password')),
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
    })
  }

  return (
    <form className="narrow" onSubmit={submit}>
      <h1>Welcome aboard</h1>
      <p>This account owns the installation. The link works once.</p>
      <Field label="Your name" name="name" autoComplete="name" required />
      <Field label="Mail address" name="email" type="email" autoComplete="username" required />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={10}
        required
        help="At least 10 characters."
      />
      <Button type="submit" busy={create.isPending}>
        Create the owner
      </Button>
      {create.error && <Failure problem={create.error} />}
    </form>
  )
}
