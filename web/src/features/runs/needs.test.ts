import { expect, test } from 'vitest'
import { type Credential, choicesFor, firstChoice, type Need } from './needs'

function credential(
  id: string,
  provider: string,
  type: Credential['type'],
  scopes: string[] = [],
): Credential {
  return {
    id,
    provider,
    type,
    scopes,
    title: id,
    hint: null,
    username: null,
    host: null,
    header_names: [],
    system: false,
    created_at: null,
    expires_at: null,
    last_used_at: null,
  }
}

const mail: Need = {
  key: 'smtp:user_password',
  providers: ['smtp'],
  types: ['user_password'],
  scopes: ['send'],
  required: true,
  nodes: ['a'],
}
const kept = [
  credential('fits', 'smtp', 'user_password', ['send', 'read']),
  credential('other provider', 'imap', 'user_password', ['send']),
  credential('other type', 'smtp', 'api_key', ['send']),
  credential('too little', 'smtp', 'user_password'),
]

test('B13: only credentials of the provider, the type and the scopes are offered', () => {
  expect(choicesFor(mail, kept).map((one) => one.id)).toEqual(['fits'])
  expect(choicesFor({ ...mail, providers: [], types: [], scopes: [] }, kept)).toHaveLength(4)
})

test('the only one that fits is chosen at first, if one must be', () => {
  expect(firstChoice(mail, kept)).toBe('fits')
  expect(firstChoice({ ...mail, required: false }, kept)).toBe('')
  expect(firstChoice({ ...mail, scopes: [], providers: [], types: [] }, kept)).toBe('')
})
