/** Finding a block by what somebody types, with the slips that fingers make. */

export type Searched = { name: string; description: string; categories: readonly string[] }

/** What matches, best first. Without words, all of it by name. */
export function searched<T extends Searched>(offers: readonly T[], typed: string): T[] {
  const words = wordsOf(typed)
  return offers
    .map((offer) => ({ offer, score: scoreOf(offer, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.offer.name < b.offer.name ? -1 : 1))
    .map(({ offer }) => offer)
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}

/** Each word must be found somewhere; where it is found says how good that is. */
function scoreOf(offer: Searched, words: readonly string[]): number {
  const name = wordsOf(offer.name)
  const rest = wordsOf(`${offer.description} ${offer.categories.join(' ')}`)
  let sum = 1
  for (const word of words) {
    const found = Math.max(closeness(word, name) * 3, closeness(word, rest))
    if (found === 0) return 0
    sum += found
  }
  return sum + (offer.name.toLowerCase().startsWith(words.join(' ')) ? 4 : 0)
}

function closeness(word: string, among: readonly string[]): number {
  let most = 0
  for (const other of among) {
    if (other === word) return 5
    if (other.startsWith(word)) most = Math.max(most, 4)
    else if (word.length > 2 && other.includes(word)) most = Math.max(most, 2)
    else if (most === 0 && isSlip(word, other)) most = 1
  }
  return most
}

/** One slip in a word of four letters, two in one of eight: left out, put in, swapped or mistaken. */
function isSlip(word: string, other: string): boolean {
  const allowed = word.length < 4 ? 0 : word.length < 8 ? 1 : 2
  if (allowed === 0) return false
  const near = other.slice(0, word.length + allowed)
  return [near, other.slice(0, word.length)].some((part) => distance(word, part, allowed) <= allowed)
}

function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) least = Math.min(least, (before[j - 2] ?? 0) + 1)
      row[j] = least
    }
    ;[before, last] = [last, row]
  }
  return last[b.length] ?? most + 1
}
