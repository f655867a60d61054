import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { newKeyPair, thumbprintOf } from './key-pair.ts'

describe('a key pair', () => {
  it('has the name that RFC 8037 gives its example', () => {
    expect(thumbprintOf('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo')).toBe(
      'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    )
  })

  it('verifies with its public half what its private half has signed', async () => {
    const { kid, publicKey, privateKey } = await newKeyPair()
    const x = publicKey.toString('base64url')
    const message = Buffer.from('an event')

    const signer = createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' })
    const verifier = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })

    expect(verify(null, message, verifier, sign(null, message, signer))).toBe(true)
    expect(kid).toBe(thumbprintOf(x))
    expect((await newKeyPair()).kid).not.toBe(kid)
  })
})
