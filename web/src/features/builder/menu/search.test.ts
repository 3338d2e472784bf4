import { expect, test } from 'vitest'
import index from '../../../../../src/pilothouse/blocks/index.json?raw'
import { type Block, declaredPins } from '../pins'
import { blockOffers, pinFor } from './offers'
import { searched } from './search'

const blocks = new Map((JSON.parse(index) as Block[]).map((block) => [block.id, block]))
const offers = blockOffers(blocks)
const first = (typed: string) => searched(offers, typed)[0]?.name

test.each([
  ['text templ', 'Fill text template'],
  ['templete', 'Fill text template'],
  ['tempalte', 'Fill text template'],
  ['spreadsheat', 'Read spreadsheet'],
  ['calculater', 'Calculator'],
  ['wikipedia', 'Get Wikipedia summary'],
])('B2: "%s" finds %s', (typed, name) => {
  expect(first(typed)).toBe(name)
})

test('B2: what nobody could mean finds nothing, and no words find all', () => {
  expect(searched(offers, 'xyzzyq')).toEqual([])
  expect(searched(offers, '').length).toBe(offers.length)
})

test('B2: disabled blocks are absent, and each other one stands under one tab', () => {
  const some = [...blocks.values()]
  const off = new Map(some.map((block, at) => [block.id, { ...block, disabled: at === 0 }]))
  expect(blockOffers(off).map((offer) => offer.id)).not.toContain(some[0]?.id)
  const tabs = Object.fromEntries(offers.map((offer) => [offer.name, offer.tab]))
  expect(tabs).toMatchObject({
    'Agent number input': 'input',
    'Agent output': 'output',
    Calculator: 'action',
  })
  expect(tabs['Send authenticated web request']).toBe('integrations')
})

test('B2: a thousand blocks are searched within the time of one key', () => {
  const many = Array.from({ length: 1000 }, (_, at) => ({
    ...(offers[at % offers.length] as (typeof offers)[0]),
    id: String(at),
  }))
  const begun = performance.now()
  searched(many, 'tempalte text fil')
  expect(performance.now() - begun).toBeLessThan(1500)
})

test('B2: what a block gives becomes the result of an output, not its name', () => {
  const named = (name: string) => offers.find((offer) => offer.name === name) as (typeof offers)[0]
  const text = declaredPins(named('Fill text template').face).outputs.find((pin) =>
    pin.types.includes('string'),
  )
  if (text === undefined) throw new Error('a template gives text')
  expect(pinFor(named('Agent output'), { nodeId: 'a', side: 'out', pin: text })?.name).toBe('value')
})
