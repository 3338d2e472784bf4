import { say } from '@/kit/say'
import type { Graph, Link } from '../document'
import { linkKey, linksOf, nodeById } from '../document'
import type { Faces } from '../faces'
import { type Conversion, type Fit, judge } from '../fitting'
import { type Block, isCredentials, type Pin, pinsOf } from '../pins'

/** The pin that a new link is being drawn from. */
export type Origin = { nodeId: string; side: 'out' | 'in'; pin: Pin }
export type Answer = { fit: Fit; reason: string | null }

/** Whether a link may be drawn from where it began to this pin, and in words why not or what happens on the way. */
export function answerOf(origin: Origin, nodeId: string, side: 'out' | 'in', pin: Pin): Answer {
  if (side === origin.side) return no(say(side === 'in' ? 'canvas.no.two_inputs' : 'canvas.no.two_outputs'))
  if (nodeId === origin.nodeId) return no(say('canvas.no.itself'))
  const [out, sink] = side === 'in' ? [origin.pin, pin] : [pin, origin.pin]
  if (isCredentials(sink.name)) return no(say('canvas.no.credentials'))
  const { fit, how } = judge(out.schema, out.root, sink.schema, sink.root)
  return { fit, reason: how === null ? null : reasonOf(how, out, sink) }
}

function no(reason: string): Answer {
  return { fit: 'never', reason }
}

function reasonOf(how: Conversion, out: Pin, sink: Pin): string {
  if (how !== 'no_way') return say(`canvas.fit.${how}`)
  return say('canvas.no.conversion', { gives: typeWords(out.types), takes: typeWords(sink.types) })
}

/** `string or list` as people say it. */
export function typeWords(types: readonly string[]): string {
  if (types.length === 0) return say('canvas.type.any')
  return types.map((type) => say(`canvas.type.${type as 'string'}`)).join(say('canvas.type.or'))
}

/** A link between two pins of this graph, or the reason why there can be none. */
export function linkBetween(graph: Graph, faces: Faces, link: Link): { link: Link } | { refused: string } {
  const [source, target] = [nodeById(graph, link.from), nodeById(graph, link.to)]
  if (source === undefined || target === undefined) return { refused: say('canvas.no.gone') }
  if (linksOf(graph).some((known) => linkKey(known) === linkKey(link))) {
    return { refused: say('canvas.no.twice') }
  }
  const out = pinsOf(graph, source, faces(source)).outputs.find((pin) => pin.name === link.out)
  const sink = pinsOf(graph, target, faces(target)).inputs.find((pin) => pin.name === link.in)
  if (out === undefined || sink === undefined) return { link }
  const { fit, reason } = answerOf({ nodeId: link.from, side: 'out', pin: out }, link.to, 'in', sink)
  return fit === 'never' ? { refused: reason ?? '' } : { link }
}

const RESULT = 'value' // of an output block; its other pins say how the result is called and shown
const RANK: Record<Fit, number> = { fits: 0, converts: 1, risky: 2, never: 3 }

/** The pin of a block that takes a link from here best; none when no pin does. */
export function bestPin(origin: Origin, block: Block, pins: readonly Pin[]): Pin | null {
  if (block.kind === 'note') return null
  const side = origin.side === 'out' ? 'in' : 'out'
  const ranked = pins
    .filter((pin) => !pin.hidden && pin.name !== 'error')
    .map((pin) => {
      const { fit } = answerOf(origin, '', side, pin)
      const typed = pin.types.length > 0 ? 0 : 0.5
      const label = block.kind === 'output' && pin.name !== RESULT ? 2 : 0
      return { pin, cost: RANK[fit] * 4 + typed + label + (pin.required ? 0 : 1) + (pin.advanced ? 1 : 0) }
    })
    .filter(({ cost }) => cost < RANK.never * 4)
    .sort((a, b) => a.cost - b.cost)
  return ranked[0]?.pin ?? null
}
