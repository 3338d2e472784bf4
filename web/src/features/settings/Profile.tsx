import type { FormEvent } from 'react'
import type { Schemas } from '@/api/shapes'
import { useChangeMe } from '@/features/accounts/queries'
import { browserZone, zones } from '@/features/accounts/zones'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { ErrorPanel } from '@/ui/States'
import { toast } from '@/ui/toasts'

export function Profile({ user }: { user: Schemas['UserOut'] }) {
  const change = useChangeMe()

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    change.mutate(
      { name: String(form.get('name')), timezone: String(form.get('timezone')) },
      { onSuccess: () => toast(say('common.saved')) },
    )
  }

  return (
    <section className="panel">
      <form className="stack" onSubmit={submit}>
        <h2>{say('settings.profile')}</h2>
        <Field
          label={say('accounts.name')}
          name="name"
          defaultValue={user.name}
          autoComplete="name"
          required
        />
        <Field label={say('accounts.email')} value={user.email} readOnly />
        <Field
          label={say('accounts.zone')}
          name="timezone"
          list="zones"
          defaultValue={user.timezone}
          required
          help={
            browserZone() === user.timezone ? undefined : say('accounts.zoneOther', { zone: browserZone() })
          }
        />
        <datalist id="zones">
          {zones().map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        {change.error && <ErrorPanel problem={change.error} />}
        <div>
          <Button type="submit" writes busy={change.isPending}>
            {say('common.save')}
          </Button>
        </div>
      </form>
    </section>
  )
}
