import { expect, test } from 'vitest'
import { addressOf, isPicture, referenceIn, referenceTo, sizeIn, uploadPath } from './reference'

const id = '01990000-0000-7000-8000-000000000101'

test('R3: a value that names a file of the workspace is known, and nothing else is taken for one', () => {
  expect(referenceIn(`workspace://${id}#image/png`)).toEqual({ id, type: 'image/png' })
  expect(referenceIn(`workspace://${id}`)).toEqual({ id, type: null })
  const others = [
    'workspace://nobody',
    'workspace:///notes.txt',
    `see workspace://${id}`,
    `workspace://${id}/../../me`,
    `workspace://${id}#"><script>`,
    `https://example.com/${id}`,
    '',
    null,
    { id },
  ]
  for (const other of others) expect(referenceIn(other)).toBeNull()
})

test('B3: what an upload puts into a field is read back as the same file', () => {
  const reference = referenceTo({ id, mime_type: 'image/png' })
  expect(referenceIn(reference)).toEqual({ id, type: 'image/png' })
  expect(addressOf(id)).toBe(`/api/workspace/files/${id}/download?inline=true`)
})

test('R3: only pictures that cannot run anything are shown as pictures', () => {
  expect(isPicture('image/png')).toBe(true)
  for (const type of ['image/svg+xml', 'text/html', 'application/pdf', null])
    expect(isPicture(type)).toBe(false)
})

test('B3: an upload keeps its name where it can, and never leaves its folder', () => {
  expect(uploadPath('ships.csv')).toBe('/uploads/ships.csv')
  expect(uploadPath('ships.csv', 'a1')).toBe('/uploads/ships-a1.csv')
  expect(uploadPath('notes', 'a1')).toBe('/uploads/notes-a1')
  expect(uploadPath('.env', 'a1')).toBe('/uploads/.env-a1')
  expect(uploadPath('../../etc/pass\nwd')).toBe('/uploads/.._.._etc_pass_wd')
  expect(uploadPath('')).toBe('/uploads/file')
})

test('sizes are told as people tell them', () => {
  expect([12, 4_200, 2_500_000].map(sizeIn)).toEqual(['12 B', '4 KB', '2.5 MB'])
})
