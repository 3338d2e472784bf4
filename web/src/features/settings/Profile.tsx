import type { FormEvent } from 'react'
import type { Schemas } from '@/api/shapes'
import { useChangeMe } from '@/features/accounts/queries'
import { browserZone, zones } from '@/features/accounts/zones'
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
      { onSuccess: () => toast('Saved.') },
    )
  }

  return (
    <section className="panel">
      <form className="stack" onSubmit={submit}>
        <h2>Profile</h2>
        <Field label="Name" name="name" defaultValue={user.name} autoComplete="name" required />
        <Field label="E-mail" value={user.email} readOnly />
        <Field
          label="Time zone"
          name="timezone"
          list="zones"
          defaultValue={user.timezone}
          required
          help={browserZone() === user.timezone ? undefined : `This browser is in ${browserZone()}.`}
        />
        <datalist id="zones">
          {zones().map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        {change.error && <ErrorPanel problem={change.error} />}
        <div>
          <Button type="submit" writes busy={change.isPending}>
            Save
          </Button>
        </div>
      </form>
    </section>
  )
}
