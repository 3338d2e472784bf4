const FIRST = 500
const LAST = 15_000

/** How long to rest before the n-th attempt in a row (from 0): half a second, doubling to 15, each a little different. */
export function rest(attempt: number, random: () => number = Math.random): number {
  const most = Math.min(LAST, FIRST * 2 ** Math.min(attempt, 10))
  return most * (0.5 + random() / 2)
}
