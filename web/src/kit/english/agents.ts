/** Texts of agents, sorted by key. `{name}` is filled in; `one | other` are chosen by a count. */
export const agents = {} as const
