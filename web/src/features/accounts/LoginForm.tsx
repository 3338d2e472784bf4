import type { FormEvent } from 'react'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { Failure } from '@/ui/Notice'
import { useLogin } from './queries'

export function LoginForm() {
  const login = useLogin()

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    login.mutate({ email: String(form.get('email')), password: String(form.get('password')) })
  }

  return (
    <form className="narrow" onSubmit={submit}>
      <h1>Sign in</h1>
      <Field label="Mail address" name="email" type="email" autoComplete="username" required />
      <Field label="Password" name="password" type="password" autoComplete="current-password" required />
      <Button type="submit" busy={login.isPending}>
        Sign in
      </Button>
      {login.error && <Failure problem={login.error} />}
    </form>
  )
}
