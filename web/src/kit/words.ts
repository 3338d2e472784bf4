/** Names as programs write them, as people read them: `find_block`, `TodoWrite` -> `Find block`, `Todo write`. */
export function inWords(name: string): string {
  const spaced = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_\-.]+/g, ' ')
    .trim()
    .toLowerCase()
  return spaced === '' ? name : spaced[0]?.toUpperCase() + spaced.slice(1)
}

/** How well `text` answers what was typed: 0 not at all, more is better. Each word must occur, or its letters in order. */
export function likeness(typed: string, text: string): number {
  const where = text.toLowerCase()
  let sum = 1
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const found = fitOfWord(word, where)
    if (found === 0) return 0
    sum += found
  }
  return sum
}

function fitOfWord(word: string, where: string): number {
  const at = where.indexOf(word)
  if (at === 0) return 4
  if (at > 0) return where[at - 1] === ' ' ? 3 : 2
  let from = 0
  for (const letter of word) {
    const next = where.indexOf(letter, from)
    if (next < 0 || next - from > 12) return 0
    from = next + 1
  }
  return word.length > 2 ? 1 : 0
}
