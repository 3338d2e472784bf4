import { useState } from 'react'
import { say } from '@/kit/say'
import { announce } from '@/ui/announce'
import { Button } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { type Link, linkKey } from '../document'
import { hasParts, partOf, withPart } from '../parts'
import type { Pin } from '../pins'
import type { Editor } from '../useEditor'

type Props = {
  editor: Editor
  link: Link
  /** The input as its block declares it, without any part. */
  sink: Pin
  /** The link as it is kept. What is refused stays in the form. */
  onKept: (link: Link) => void
}

/** Which part of what comes a link takes, and into which part of its input it puts that. */
export function LinkParts({ editor, link, sink, onKept }: Props) {
  const [takes, setTakes] = useState(partOf(link.out))
  const [puts, setPuts] = useState(partOf(link.in))

  function keep() {
    const { from, out, to, in: into, ...rest } = link
    const changed = { out: withPart(out, takes, null), in: withPart(into, puts, sink.types) }
    if (changed.out === out && changed.in === into) return onKept(link)
    const isDone = editor.apply([
      { op: 'disconnect', from, out, to, in: into },
      { op: 'connect', ...rest, from, to, ...changed },
    ])
    if (!isDone) return
    onKept({ ...link, ...changed })
    announce(say('parts.kept', { out: changed.out, in: changed.in }))
  }

  return (
    <form
      className="stack tight panel"
      data-link={linkKey(link)}
      aria-label={say('parts.of', { pin: link.in })}
      onSubmit={(event) => {
        event.preventDefault()
        keep()
      }}
    >
      {hasParts(sink) && (
        <Field
          label={say('parts.puts')}
          help={say('parts.puts_help', { pin: sink.name })}
          value={puts}
          spellCheck={false}
          onChange={(event) => setPuts(event.target.value)}
        />
      )}
      <Field
        label={say('parts.takes')}
        help={say('parts.takes_help')}
        value={takes}
        spellCheck={false}
        onChange={(event) => setTakes(event.target.value)}
      />
      <div className="row">
        <Button tiny look="plain" type="submit">
          {say('parts.keep')}
        </Button>
      </div>
    </form>
  )
}
