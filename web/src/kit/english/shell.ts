/** Texts of shell, sorted by key. `{name}` is filled in; `one | other` are chosen by a count. */
export const shell = {} as const
