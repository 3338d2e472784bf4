import { expect, test } from 'vitest'
import type { Pin } from '../pins'
import { foldedApart, givenOf } from './folding'

function pin(name: string, advanced: boolean): Pin {
  return { name, schema: {}, root: {}, types: [], required: false, hidden: false, advanced }
}

const pins = [pin('code', false), pin('template', true), pin('tls', true), pin('secret', true)]
const link = { from: 'a', out: 'result', to: 'run', in: 'tls' }
const names = (some: readonly Pin[]) => some.map(({ name }) => name)

test('advanced fields are folded, except for those that hold a value or a link', () => {
  const given = givenOf({ id: 'run', block: 'b', inputs: { template: 'x' } }, [link])
  const { open, folded } = foldedApart(pins, given)
  expect(names(open)).toEqual(['code', 'template', 'tls'])
  expect(names(folded)).toEqual(['secret'])
})
