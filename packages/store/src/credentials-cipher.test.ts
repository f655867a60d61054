import * as fc from 'fast-check'
import { CredentialsCipher, UndecryptableError } from './credentials-cipher.ts'

const OLD = 'the secret that was there before'
const NEW = 'the secret that replaces it'
const OWNER = '01a1febd-3287-7c7e-be02-4e5e1399cc02'

describe('credentials at rest', () => {
  const cipher = new CredentialsCipher([OLD])

  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string()), (credentials) => {
        expect(cipher.decrypt(cipher.encrypt(credentials, OWNER), OWNER)).toEqual({
          ...credentials,
        })
      }),
    )
  })

  it('show nothing of themselves, and never look the same twice', () => {
    const credentials = { secret: 'whsec_plain' }
    const [first, second] = [cipher.encrypt(credentials, OWNER), cipher.encrypt(credentials, OWNER)]
    expect(first.includes('whsec_plain')).toBe(false)
    expect(first.equals(second)).toBe(false)
  })

  it('are readable by any configured secret, and written with the first', () => {
    const written = cipher.encrypt({ secret: 's' }, OWNER)
    const rotating = new CredentialsCipher([NEW, OLD])
    expect(rotating.decrypt(written, OWNER)).toEqual({ secret: 's' })
    const rewritten = rotating.encrypt({ secret: 's' }, OWNER)
    expect(new CredentialsCipher([NEW]).decrypt(rewritten, OWNER)).toEqual({ secret: 's' })
    expect(() => cipher.decrypt(rewritten, OWNER)).toThrow(UndecryptableError)
  })

  it('say when the secret that wrote them is not configured any more', () => {
    const written = cipher.encrypt({ secret: 's' }, OWNER)
    expect(() => new CredentialsCipher([NEW]).decrypt(written, OWNER)).toThrow(
      'credentials were encrypted with a secret that is not configured',
    )
  })

  it('do not open in another row', () => {
    const written = cipher.encrypt({ secret: 's' }, OWNER)
    expect(() => cipher.decrypt(written, '01a1febd-3287-7c7e-be02-000000000000')).toThrow(
      UndecryptableError,
    )
  })

  it('do not open when any byte of them was changed, or when they were cut', () => {
    const written = cipher.encrypt({ secret: 'whsec_1' }, OWNER)
    for (let at = 0; at < written.length; at++) {
      const changed = Buffer.from(written)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => cipher.decrypt(changed, OWNER)).toThrow(UndecryptableError)
      expect(() => cipher.decrypt(written.subarray(0, at), OWNER)).toThrow(UndecryptableError)
    }
  })

  it('cannot be written without a secret', () => {
    expect(() => new CredentialsCipher([]).encrypt({}, OWNER)).toThrow(
      'no encryption secret is configured',
    )
  })
})
