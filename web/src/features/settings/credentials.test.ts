import { expect, test } from 'vitest'
import { credentialOf } from './credentials'

function form(values: Record<string, string>): FormData {
  const made = new FormData()
  for (const [name, value] of Object.entries(values)) made.set(name, value)
  return made
}

test('S2: each kind sends what it holds and nothing of another', () => {
  const filled = form({
    title: ' Work ',
    provider: 'GitHub',
    api_key: ' k ',
    username: 'ada',
    password: 'p',
    host: 'api.example.com',
    header: 'Authorization',
    value: 'Bearer x',
  })
  expect(credentialOf('api_key', filled)).toEqual({
    type: 'api_key',
    title: 'Work',
    provider: 'github',
    api_key: 'k',
  })
  expect(credentialOf('user_password', filled)).toEqual({
    type: 'user_password',
    title: 'Work',
    provider: 'github',
    username: 'ada',
    password: 'p',
  })
  expect(credentialOf('host_scoped', filled)).toEqual({
    type: 'host_scoped',
    provider: 'http',
    title: 'Work',
    host: 'api.example.com',
    headers: { Authorization: 'Bearer x' },
  })
})
