/** Parts of values in the names of pins: `items.0.name` as people write it, `_$_0_#_name` as pins spell it. */
import type { Link } from './document'
import { baseOf, type Pin } from './pins'

const MARK = /_([#$@])_/
const INDEX = /^-?\d{1,4}$/

/** The part that a pin names; empty for the whole value. What dots cannot tell stays as the pin spells it. */
export function partOf(pin: string): string {
  const spelt = pin.slice(baseOf(pin).length)
  const [, ...pieces] = spelt.split(MARK)
  const words = pieces.filter((_, at) => at % 2 === 1)
  const dotted = words.join('.')
  return words.some((word) => word.includes('.')) || spell(dotted, null) !== spelt ? spelt : dotted
}

/** The pin for a part of a value. A number counts in a list, unless the value is known to be an object. */
export function withPart(pin: string, part: string, types: readonly string[] | null): string {
  return baseOf(pin) + spell(part.trim(), types)
}

function spell(part: string, types: readonly string[] | null): string {
  if (part === '' || MARK.test(part) || part.startsWith('_^_')) return part
  const isObject = types?.includes('object') && !types.includes('array')
  return part
    .split('.')
    .map((word, at) => (INDEX.test(word) && !(at === 0 && isObject) ? `_$_${word}` : `_#_${word}`))
    .join('')
}

/** Whether a link can name a part of what its input takes. */
export function hasParts(sink: Pin): boolean {
  return sink.types.length === 0 || sink.types.includes('object') || sink.types.includes('array')
}

/** Whether a link most likely means one key of its input: what it carries would else be wrapped in an object. */
export function wantsKey(out: Pin | undefined, sink: Pin, link: Link): boolean {
  const only = (types: readonly string[]) => types.length === 1 && types[0] === 'object'
  return link.in === sink.name && partOf(link.in) === '' && only(sink.types) && !only(out?.types ?? [])
}
