import fc from 'fast-check'
import { expect, test } from 'vitest'
import { noBlocks, read } from './blocks'
import { hostOf, safeTarget } from './links'

const TEXT =
  '# Title\n\nA paragraph with `code`.\n\n- one\n- two\n\n```py\nprint(1)\n\nx = 2\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end.'

test('AP10: reading piece by piece gives the same blocks as reading at once', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(TEXT.length)), (cuts) => {
      let blocks = noBlocks
      for (const cut of cuts.sort((a, b) => a - b)) blocks = read(blocks, TEXT.slice(0, cut))
      blocks = read(blocks, TEXT)
      const whole = read(noBlocks, TEXT)
      const raw = (one: typeof whole) => [...one.done, ...one.open].map((block) => [block.type, block.raw])
      expect(raw(blocks)).toEqual(raw(whole))
    }),
  )
})

test('AP10: finished blocks stay the same objects while the text grows', () => {
  const before = read(noBlocks, 'First.\n\nSecond.\n\nThi')
  const after = read(before, 'First.\n\nSecond.\n\nThird.')
  expect(before.done.length).toBeGreaterThan(0)
  expect(after.done.slice(0, before.done.length).every((block, index) => block === before.done[index])).toBe(
    true,
  )
})

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  '//evil.example',
  '/\\evil.example',
  'no link',
  ' JaVaScRiPt:x',
])('AP10: %s leads nowhere', (href) => expect(safeTarget(href)).toBeNull())

test('AP10: pages and mail are links, and ours stay in this tab', () => {
  expect(safeTarget('https://example.com/a')).toEqual({ href: 'https://example.com/a', outside: true })
  expect(safeTarget('mailto:a@example.com')).toEqual({ href: 'mailto:a@example.com', outside: true })
  expect(safeTarget('/library')).toEqual({ href: '/library', outside: false })
})

test('AP10: an image names the host it would come from', () => {
  expect(hostOf('https://images.example/x.png')).toBe('images.example')
})
