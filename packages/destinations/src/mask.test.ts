import * as fc from 'fast-check'
import { isMask, isMaskOf, maskCredentials } from './mask.ts'
import type { TypeDocument } from './destination-type.ts'

const document: TypeDocument = {
  type: 'sample',
  label: 'Sample',
  description: '',
  icon: '<svg/>',
  instructions: '',
  config_fields: [],
  credential_fields: [
    { key: 'username', type: 'text', label: '', description: '', required: true },
    { key: 'password', type: 'text', label: '', description: '', required: true, sensitive: true },
  ],
}

function masked(password: string): string | undefined {
  return maskCredentials(document, { password })['password']
}

describe('masked credentials', () => {
  it('show fields that are not sensitive, and no member that is no field', () => {
    const shown = maskCredentials(document, { username: 'me', internal: 'x' })

    expect(shown).toEqual({ username: 'me' })
  })

  it('show four characters of a value of ten or more, and none of a shorter one', () => {
    expect(masked('0123456789')).toBe('0123********')
    expect(masked('012345678')).toBe('********')
    expect(masked('')).toBe('********')
  })

  it('do not tell the length of the value', () => {
    expect(masked(`0123${'x'.repeat(500)}`)).toBe(masked('0123456789'))
  })

  it('are known again, and no other value is taken for one of them', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (value, other) => {
        const mask = masked(value) ?? ''
        expect(isMask(mask) && isMaskOf(mask, value)).toBe(true)
        expect(isMaskOf(other, value)).toBe(other === mask)
      }),
    )
  })

  it.each(['', 'secret', '*******', '012********', 'a secret that ends in ********'])(
    'do not look like "%s"',
    (text) => {
      expect(isMask(text)).toBe(false)
    },
  )
})
