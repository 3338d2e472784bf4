import { useReactFlow } from '@xyflow/react'
import { inline } from '@/kit/json'
import { say } from '@/kit/say'
import { type Choice, Finder } from '@/ui/Finder'
import { type Graph, nodesOf, placeOf } from '../document'
import type { Faces } from '../faces'
import { titleOf } from './drawing'
import { WIDTH } from './geometry'

type Props = { graph: Graph; faces: Faces; onPick: (id: string) => void; onClose: () => void }

/** Find a block of this agent, choose it and bring it into the middle. */
export function NodeFinder({ graph, faces, onPick, onClose }: Props) {
  const flow = useReactFlow()
  const choices = nodesOf(graph).map((node): Choice => {
    const block = faces(node)
    const [x, y] = placeOf(node)
    return {
      id: node.id,
      kind: block?.name ?? '',
      label: titleOf(node, block),
      help: inline(
        Object.values(node.inputs ?? {})
          .filter((value) => typeof value === 'string')
          .join(' '),
        80,
      ),
      icon: 'build',
      act: () => {
        onPick(node.id)
        void flow.setCenter(x + WIDTH / 2, y + 80, { zoom: Math.max(0.8, flow.getZoom()) })
      },
    }
  })
  return (
    <Finder
      title={say('canvas.find')}
      placeholder={say('canvas.find_placeholder')}
      choices={choices}
      onClose={onClose}
    />
  )
}
