import type { FormEvent } from 'react'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { AreaField, Field } from '@/ui/Field'
import type { Editor } from './useEditor'

type Props = { editor: Editor; onClose: () => void }

/** What the agent is called and what it is for: an edit like any other, kept with the next version. */
export function AboutAgent({ editor, onClose }: Props) {
  const { name = '', description = '', instructions = '' } = editor.graph

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const said = (field: string) => String(form.get(field) ?? '').trim()
    editor.change((graph) => ({
      ...graph,
      name: said('name'),
      description: said('description'),
      instructions: said('instructions'),
    }))
    onClose()
  }

  return (
    <Dialog title={say('builder.about')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Field
          label={say('builder.aboutName')}
          name="name"
          defaultValue={name}
          maxLength={200}
          required
          autoFocus
        />
        <AreaField
          label={say('builder.aboutDescription')}
          help={say('builder.aboutDescriptionHelp')}
          name="description"
          defaultValue={description}
          maxLength={10_000}
          optional
        />
        <AreaField
          label={say('builder.aboutInstructions')}
          help={say('builder.aboutInstructionsHelp')}
          name="instructions"
          defaultValue={instructions}
          maxLength={10_000}
          optional
        />
        <div className="actions">
          <Button look="plain" onClick={onClose}>
            {say('common.cancel')}
          </Button>
          <Button type="submit">{say('builder.aboutDone')}</Button>
        </div>
      </form>
    </Dialog>
  )
}
