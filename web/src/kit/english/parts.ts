/** Texts about the parts of values that links carry, sorted by key. `{name}` is filled in. */
export const parts = {
  'parts.choose': 'Choose a key',
  'parts.keep': 'Keep',
  'parts.kept': 'Now from {out} to {in}.',
  'parts.of': 'Part of the link to {pin}',
  'parts.offer': "'{pin}' takes an object: as it is, the value arrives under the key 'value'.",
  'parts.puts': 'Put it into',
  'parts.puts_help': "A key of '{pin}', or a number in a list. Empty: it is the whole of '{pin}'.",
  'parts.takes': 'Take only',
  'parts.takes_help': 'A part of what comes, such as title or items.0.name. Empty: all of it.',
  'parts.title': 'Part',
} as const
