/** Texts of builder, sorted by key. `{name}` is filled in; `one | other` are chosen by a count. */
export const builder = {} as const
