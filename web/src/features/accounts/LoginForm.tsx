import type { FormEvent } from 'react'
import { ApiProblem } from '@/api/errors'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { ErrorPanel } from '@/ui/States'
import { Entrance } from './Entrance'
import { useLogin } from './queries'
import { waitOf } from './throttle'

export function LoginForm() {
  const login = useLogin()

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    login.mutate({ email: String(form.get('email')), password: String(form.get('password')) })
  }

  return (
    <Entrance title="Sign in">
      <form className="stack" onSubmit={submit}>
        <Field label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
        <Field label="Password" name="password" type="password" autoComplete="current-password" required />
        {login.error && <ErrorPanel problem={readable(login.error)} />}
        <Button type="submit" writes busy={login.isPending}>
          Sign in
        </Button>
      </form>
    </Entrance>
  )
}

/** Too many attempts: say how long to wait. */
function readable(problem: Error) {
  if (!(problem instanceof ApiProblem) || problem.status !== 429) return problem
  return { code: problem.code, message: `Too many attempts. ${waitOf(problem.retryAfter)}` }
}
