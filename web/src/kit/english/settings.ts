/** Texts of settings, sorted by key. `{name}` is filled in; `one | other` are chosen by a count. */
export const settings = {} as const
