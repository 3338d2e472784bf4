/** Texts of runs, sorted by key. `{name}` is filled in; `one | other` are chosen by a count. */
export const runs = {} as const
