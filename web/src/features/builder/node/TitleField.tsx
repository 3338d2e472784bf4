import { useState } from 'react'
import { say } from '@/kit/say'
import { Field } from '@/ui/Field'
import type { Node } from '../document'
import type { Editor } from '../useEditor'
import { titleShown } from './title'

type Props = { editor: Editor; node: Node; readOnly: boolean }

/** What a block is called. Each letter reaches the document at once, for Ctrl S to save; together they are one step. */
export function TitleField({ editor, node, readOnly }: Props) {
  const [typed, setTyped] = useState('')

  function keep(text: string) {
    setTyped(text)
    const name = text.trim()
    if (name !== (node.name ?? '')) {
      editor.apply([{ op: 'rename_node', node: node.id, name }], `title of ${node.id}`)
    }
  }

  return (
    <Field
      label={say('canvas.title')}
      optional
      disabled={readOnly}
      value={titleShown(typed, node.name ?? '')}
      onChange={(event) => keep(event.target.value)}
      onBlur={() => setTyped('')}
    />
  )
}
