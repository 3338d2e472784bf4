import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arranged, type Boxes } from './layout'

function chain(count: number, links: readonly (readonly [number, number])[]): Boxes {
  return {
    boxes: Array.from({ length: count }, (_, at) => ({
      id: `n${at}`,
      width: 272,
      height: 80 + (at % 7) * 30,
    })),
    links: links.map(([from, to]) => ({ from: `n${from}`, to: `n${to}` })),
  }
}

function overlaps({ boxes }: Boxes, places: ReadonlyMap<string, readonly [number, number]>): string[] {
  const found: string[] = []
  const put = boxes.map((box) => ({ ...box, at: places.get(box.id) ?? [0, 0] }))
  for (const [index, a] of put.entries()) {
    for (const b of put.slice(index + 1)) {
      const apart =
        a.at[0] + a.width <= b.at[0] ||
        b.at[0] + b.width <= a.at[0] ||
        a.at[1] + a.height <= b.at[1] ||
        b.at[1] + b.height <= a.at[1]
      if (!apart) found.push(`${a.id} ${b.id}`)
    }
  }
  return found
}

test('B7: boxes go from left to right and never overlap, whatever leads where', () => {
  const anyLinks = fc.array(fc.tuple(fc.nat(29), fc.nat(29)), { maxLength: 60 })
  fc.assert(
    fc.property(anyLinks, (links) => {
      const boxes = chain(30, links)
      const places = arranged(boxes)
      expect(places.size).toBe(30)
      expect(overlaps(boxes, places)).toEqual([])
    }),
    { numRuns: 50 },
  )
  const places = arranged(
    chain(3, [
      [0, 1],
      [1, 2],
    ]),
  )
  expect((places.get('n0')?.[0] ?? 0) < (places.get('n1')?.[0] ?? 0)).toBe(true)
  expect((places.get('n1')?.[0] ?? 0) < (places.get('n2')?.[0] ?? 0)).toBe(true)
})

test('B7: 500 nodes take far less than two seconds', () => {
  const links = Array.from({ length: 900 }, (_, at) => [at % 499, (at * 7 + 1) % 500] as const)
  const begun = performance.now()
  const boxes = chain(500, links)
  const places = arranged(boxes)
  expect(performance.now() - begun).toBeLessThan(2000)
  expect(overlaps(boxes, places)).toEqual([])
})
