import { describe, expect, it } from 'vitest'
import { asked, KINDS, kindLabelled, labelOf } from './kinds'

function form(fields: Record<string, string>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return data
}

describe('a connection that somebody fills in', () => {
  it('sends nothing for what was left empty', () => {
    const sent = asked(kindLabelled('Anthropic'), form({ api_key: ' sk-1 ', model: '' }))
    expect(sent).toMatchObject({
      kind: 'anthropic',
      api_key: 'sk-1',
      model: null,
      base_url: null,
      name: null,
    })
  })

  it('knows every kind by the label that it is offered under', () => {
    for (const kind of KINDS) {
      expect(kindLabelled(kind.label)).toBe(kind)
      expect(labelOf(kind.kind)).toBe(kind.label)
    }
    expect(() => kindLabelled('Nobody')).toThrow()
    expect(labelOf('new-kind')).toBe('new-kind')
  })
})
