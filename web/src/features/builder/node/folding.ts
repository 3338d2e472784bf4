import type { Link, Node } from '../document'
import type { Pin } from '../pins'

/** The inputs of a node that are given, by a value or a link: what they are called. */
export function givenOf(node: Node, into: readonly Link[]): ReadonlySet<string> {
  return new Set([...Object.keys(node.inputs ?? {}), ...into.map((link) => link.in)])
}

/**
 * Which fields stand open and which are folded away. `given` is what was given when somebody came to the node: a field
 * that went from the one to the other under the hand would lose the focus, and the letters that follow.
 */
export function foldedApart(pins: readonly Pin[], given: ReadonlySet<string>) {
  const isFolded = (pin: Pin) => pin.advanced && !given.has(pin.name)
  return { open: pins.filter((pin) => !isFolded(pin)), folded: pins.filter(isFolded) }
}
