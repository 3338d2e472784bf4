import type { FormEvent } from 'react'
import { useChangePassword } from '@/features/accounts/queries'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { ErrorPanel } from '@/ui/States'
import { toast } from '@/ui/toasts'

export function Password({ email }: { email: string }) {
  const change = useChangePassword()

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const typed = new FormData(form)
    change.mutate(
      { current_password: String(typed.get('current')), new_password: String(typed.get('new')) },
      {
        onSuccess: () => {
          form.reset()
          toast('Password changed.')
        },
      },
    )
  }

  return (
    <section className="panel">
      <form className="stack" onSubmit={submit}>
        <h2>Password</h2>
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <Field
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
        />
        <Field
          label="New password"
          name="new"
          type="password"
          autoComplete="new-password"
          minLength={12}
          required
          help="At least 12 characters. Other devices are signed out."
        />
        {change.error && <ErrorPanel problem={change.error} />}
        <div>
          <Button type="submit" writes busy={change.isPending}>
            Change password
          </Button>
        </div>
      </form>
    </section>
  )
}
