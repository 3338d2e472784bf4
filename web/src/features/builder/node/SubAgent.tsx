import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { agentById } from '@/features/agents/queries'
import { say } from '@/kit/say'
import { Button } from '@/ui/Button'
import type { Node } from '../document'
import { type Faces, pinnedBy, withChild } from '../faces'
import type { Editor } from '../useEditor'
import { updateOf } from './updating'

type Props = { editor: Editor; node: Node; faces: Faces; readOnly: boolean }

/** The agent inside: which version, a way in, and the newer version with what it would break. */
export function SubAgent({ editor, node, faces, readOnly }: Props) {
  const pinned = pinnedBy(node)
  const newest = useQuery({ ...agentById(pinned?.agentId ?? ''), enabled: pinned !== null })
  if (pinned === null) return null
  const face = faces(node)
  const agent = newest.data
  const newer = agent && face && agent.active_version > pinned.version ? agent : null
  const update = newer && face ? updateOf(editor.graph, node, withChild(face, newer), newer, faces) : null
  return (
    <div className="panel stack tight">
      <div className="row">
        <span>{say('canvas.sub.version', { version: pinned.version })}</span>
        <Link
          className="end"
          to="/build/$agentId"
          params={{ agentId: pinned.agentId }}
          search={newer === null ? {} : { version: pinned.version }}
        >
          {say('canvas.sub.open')}
        </Link>
      </div>
      {newer && update && (
        <>
          {update.lost.length > 0 && (
            <div className="small">
              {say('canvas.sub.lost')}
              <ul className="sub-lost">
                {update.lost.map((link) => (
                  <li key={`${link.from} ${link.out} ${link.to} ${link.in}`}>
                    {say('canvas.link', { ...link })}
                  </li>
                ))}
              </ul>
            </div>
          )}
          {!readOnly && (
            <div>
              <Button look="plain" tiny onClick={() => editor.apply(update.operations)}>
                {say('canvas.sub.update', { version: newer.active_version })}
              </Button>
            </div>
          )}
        </>
      )}
    </div>
  )
}
