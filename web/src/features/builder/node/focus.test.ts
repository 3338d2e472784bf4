import { expect, test } from 'vitest'
import { focusFirst, placesFreed, placesIn, placesKept, placesOf } from './focus'

test('B9: a field is looked for in the form of its link, then among the inputs, then something to press', () => {
  const places = placesOf({ field: 'values_#_a', link: 'x.out>y.values_#_a' })
  expect(places).toHaveLength(3)
  expect(places[0]).toContain('form[data-link="x.out>y.values_#_a"]')
  expect(places.slice(1)).toEqual(placesIn('values_#_a'))
  expect(placesOf({ field: 'format', link: null })).toEqual(placesIn('format'))
})

test('the first place that is there gets the focus, unfolded', () => {
  const done: string[] = []
  const field = {
    closest: () => ({ setAttribute: (name: string) => done.push(name) }),
    focus: () => done.push('focus'),
  }
  const root = { querySelector: (place: string) => (place === 'b' ? field : null) } as unknown as HTMLElement
  expect(focusFirst(root, ['a', 'b'])).toBe(true)
  expect(done).toEqual(['open', 'focus'])
  expect(focusFirst(root, ['a'])).toBe(false)
})

test('B8: a link that is kept or cut leaves the focus where it was', () => {
  const link = { from: 'x', out: 'out', to: 'y', in: 'values_#_a' }
  expect(placesKept(link)).toEqual(['button[data-link="x.out>y.values_#_a"]'])
  expect(placesFreed(link)).toEqual([...placesIn('values_#_a'), ...placesIn('values'), 'h2'])
})
