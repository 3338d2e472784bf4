/** Texts of chat, sorted by key. `{name}` is filled in; `one | other` are chosen by a count. */
export const chat = {} as const
