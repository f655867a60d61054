import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import type { SigningKey } from '@postrider/common'
import { DATA, SECRET, webhookDestination, webhookSettings } from '../../test/factories.ts'
import type { WebhookSettings } from './settings.ts'
import { createSigner } from './signer.ts'

const PREVIOUS_SECRET = 'whsec_b2xkZXIgc2VjcmV0IG9mIHRoaXJ0eS10d28gYnl0ZXMh'
/*
 * What openssl makes, with the hexadecimal of the bytes whose base64 follows `whsec_`:
 *
 *   printf '%s' "evt_1.1700000600.$BODY" |
 *     openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64 -w0
 */
const SIGNATURE = 'v1,WU+f2RLz2sxYChg5hh5YgMQGXl94fF7xdcrSCEEX41o='
const PREVIOUS_SIGNATURE = 'v1,ekNK1vN5tb7P60Jgi6PPsgTRexeTjFxDuSxxCB8+0xw='

const NOW_MS = 1_700_000_600_000
const ROTATING = {
  secret: SECRET,
  previous_secret: PREVIOUS_SECRET,
  previous_secret_invalid_at: new Date(NOW_MS).toISOString(),
}

const SIGNED = Buffer.concat([Buffer.from('evt_1.1700000600.'), DATA])
const MESSAGE = {
  eventId: 'evt_1',
  topic: 'user.created',
  timeMs: NOW_MS,
  timestamp: '1700000600',
  body: DATA,
  nowMs: NOW_MS,
}

interface Given {
  readonly credentials?: Readonly<Record<string, string>>
  readonly signingKeys?: readonly SigningKey[]
  readonly signing?: WebhookSettings['signing']
}

function writer({ signing = 'hmac', ...destination }: Given = {}) {
  const signer = createSigner(webhookSettings({ mode: 'standard', signing }))
  return signer.prepare(webhookDestination('https://example.com', destination))
}

function signingKey(privateKey: KeyObject, invalidAtMs: number | null): SigningKey {
  return {
    kid: 'a',
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }),
    invalidAtMs,
  }
}

function isOf(publicKey: KeyObject, signature = ''): boolean {
  const bytes = Buffer.from(signature.replace('v1a,', ''), 'base64')
  return verify(null, SIGNED, publicKey, bytes)
}

describe('signature in standard mode', () => {
  it('is what openssl makes with the bytes behind the secret', () => {
    expect(writer()(MESSAGE)).toBe(SIGNATURE)
  })

  it('is followed by those of previous secrets, up to the millisecond in which their windows end', () => {
    const write = writer({ credentials: ROTATING })

    expect(write({ ...MESSAGE, nowMs: NOW_MS - 1 })).toBe(`${SIGNATURE} ${PREVIOUS_SIGNATURE}`)
    expect(write(MESSAGE)).toBe(SIGNATURE)
  })

  it.each([
    ['another text', 'first-delivery'],
    ['no base64 after its prefix', 'whsec_first-delivery'],
    ['base64 without its prefix', SECRET.slice(6)],
  ])('with a secret from before that mode, %s, has its text as the key', (_, secret) => {
    const asBase64 = `whsec_${Buffer.from(secret).toString('base64')}`

    expect(writer({ credentials: { secret } })(MESSAGE)).toBe(
      writer({ credentials: { secret: asBase64 } })(MESSAGE),
    )
  })
})

describe('signature with the keys of a tenant', () => {
  const current = generateKeyPairSync('ed25519')
  const previous = generateKeyPairSync('ed25519')

  const keys = [signingKey(current.privateKey, null), signingKey(previous.privateKey, NOW_MS)]

  it('stands behind those of the secrets', () => {
    const [first, second, ...more] = writer({ signing: 'ed25519', signingKeys: keys })(
      MESSAGE,
    ).split(' ')

    expect(first).toBe(SIGNATURE)
    expect(second).toMatch(/^v1a,[A-Za-z0-9+/]{86}==$/)
    expect(isOf(current.publicKey, second)).toBe(true)
    expect(isOf(previous.publicKey, second)).toBe(false)
    expect(more).toEqual([])
  })

  it('is made with a previous key as well until its window ends', () => {
    const write = writer({ signing: 'ed25519', signingKeys: keys, credentials: ROTATING })
    const signatures = write({ ...MESSAGE, nowMs: NOW_MS - 1 }).split(' ')

    expect(signatures.slice(0, 2)).toEqual([SIGNATURE, PREVIOUS_SIGNATURE])
    expect(isOf(current.publicKey, signatures[2])).toBe(true)
    expect(isOf(previous.publicKey, signatures[3])).toBe(true)
    expect(signatures).toHaveLength(4)
    expect(write(MESSAGE).split(' ')).toHaveLength(2)
  })

  it('is left out when nobody asks for it', () => {
    expect(writer({ signing: 'hmac', signingKeys: keys })(MESSAGE)).toBe(SIGNATURE)
  })

  it.each([
    ['none', undefined, 'no key in force'],
    ['an empty list', [], 'no key in force'],
    ['only one that is over', [signingKey(previous.privateKey, NOW_MS)], 'no key in force'],
    ['one that is none', [{ kid: 'a', privateKey: Buffer.from('?'), invalidAtMs: null }], 'asn1'],
  ])(
    'throws where the destination came with %s, rather than leave it out',
    (_, signingKeys, why) => {
      const write = writer({ signing: 'ed25519', ...(signingKeys && { signingKeys }) })

      expect(() => write(MESSAGE)).toThrow(why)
      expect(() => write(MESSAGE)).toThrow(why)
    },
  )
})
