import type { FormEvent } from 'react'
import { ApiProblem } from '@/api/errors'
import { say } from '@/kit/say'
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
    <Entrance title={say('accounts.signIn')}>
      <form className="stack" onSubmit={submit}>
        <Field
          label={say('accounts.email')}
          name="email"
          type="email"
          autoComplete="username"
          required
          autoFocus
        />
        <Field
          label={say('accounts.password')}
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        {login.error && <ErrorPanel problem={readable(login.error)} />}
        <Button type="submit" writes busy={login.isPending}>
          {say('accounts.signIn')}
        </Button>
      </form>
    </Entrance>
  )
}

/** Too many attempts: say how long to wait. */
function readable(problem: Error) {
  if (!(problem instanceof ApiProblem) || problem.status !== 429) return problem
  return { code: problem.code, message: say('accounts.tooMany', { wait: waitOf(problem.retryAfter) }) }
}
