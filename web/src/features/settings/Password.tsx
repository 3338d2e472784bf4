import type { FormEvent } from 'react'
import { useChangePassword } from '@/features/accounts/queries'
import { say } from '@/kit/say'
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
          toast(say('settings.passwordChanged'))
        },
      },
    )
  }

  return (
    <section className="panel">
      <form className="stack" onSubmit={submit}>
        <h2>{say('accounts.password')}</h2>
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <Field
          label={say('accounts.current')}
          name="current"
          type="password"
          autoComplete="current-password"
          required
        />
        <Field
          label={say('accounts.new')}
          name="new"
          type="password"
          autoComplete="new-password"
          minLength={12}
          required
          help={say('accounts.passwordOthers')}
        />
        {change.error && <ErrorPanel problem={change.error} />}
        <div>
          <Button type="submit" writes busy={change.isPending}>
            {say('settings.changePassword')}
          </Button>
        </div>
      </form>
    </section>
  )
}
