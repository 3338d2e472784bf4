import type { AriaLabelConfig } from '@xyflow/react'
import { type MessageKey, say } from '@/kit/say'

const MOVED: Readonly<Record<string, MessageKey>> = {
  up: 'canvas.moved.up',
  down: 'canvas.moved.down',
  left: 'canvas.moved.left',
  right: 'canvas.moved.right',
}

/** What React Flow tells those who listen to a canvas; which of the two it says of blocks follows its own switch. */
export function spokenFor(fixed: boolean): Partial<AriaLabelConfig> {
  const node = say(fixed ? 'canvas.help.node_fixed' : 'canvas.help.node')
  return {
    'node.a11yDescription.default': node,
    'node.a11yDescription.keyboardDisabled': node,
    'node.a11yDescription.ariaLiveMessage': ({ direction, x, y }) =>
      say(MOVED[direction] ?? 'canvas.moved.down', { x: Math.round(x), y: Math.round(y) }),
    'edge.a11yDescription.default': say('canvas.help.edge'),
    'controls.ariaLabel': say('canvas.tools'),
    'controls.zoomIn.ariaLabel': say('canvas.zoom_in'),
    'controls.zoomOut.ariaLabel': say('canvas.zoom_out'),
    'controls.fitView.ariaLabel': say('canvas.fit'),
  }
}
