import { type Static, Type } from 'typebox'
import type { PublicSigningKey } from '@postrider/store'
import { nullable, Time } from '../http/schemas.ts'

const KEY_MEMBERS = {
  kty: Type.Literal('OKP'),
  crv: Type.Literal('Ed25519'),
  x: Type.String({
    pattern: '^[A-Za-z0-9_-]{43}$',
    description: 'The 32 bytes of the public key, in base64url.',
  }),
  kid: Type.String({
    pattern: '^[A-Za-z0-9_-]{43}$',
    description: 'The thumbprint of the key (RFC 7638).',
  }),
  use: Type.Literal('sig'),
  alg: Type.Literal('EdDSA'),
}

const EXAMPLE_KEY = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  use: 'sig',
  alg: 'EdDSA',
}

/** A public key as a JSON Web Key (RFC 8037). */
const Jwk = Type.Object(KEY_MEMBERS, {
  title: 'PublicKey',
  additionalProperties: false,
  examples: [EXAMPLE_KEY],
})

/** A JSON Web Key Set (RFC 7517). */
export const JwkSet = Type.Object(
  { keys: Type.Array(Jwk, { description: 'The current key first.' }) },
  { title: 'PublicKeySet', additionalProperties: false },
)

const SigningKeyView = Type.Object(
  {
    ...KEY_MEMBERS,
    created_at: Time,
    invalid_at: nullable(
      Type.String({
        format: 'date-time',
        description: 'When it stops signing and leaves the published set; null: the current key.',
      }),
    ),
  },
  {
    title: 'SigningKey',
    additionalProperties: false,
    examples: [{ ...EXAMPLE_KEY, created_at: '2026-11-21T11:00:00.000Z', invalid_at: null }],
  },
)

export const SigningKeysView = Type.Object(
  { keys: Type.Array(SigningKeyView, { description: 'Those in force, the current one first.' }) },
  { title: 'SigningKeys', additionalProperties: false },
)

export function jwkSet(keys: readonly PublicSigningKey[]): Static<typeof JwkSet> {
  return { keys: keys.map(jwkOf) }
}

export function signingKeysView(keys: readonly PublicSigningKey[]): Static<typeof SigningKeysView> {
  return {
    keys: keys.map((key) => ({
      ...jwkOf(key),
      created_at: key.createdAt.toISOString(),
      invalid_at: key.invalidAt?.toISOString() ?? null,
    })),
  }
}

function jwkOf({ kid, publicKey }: PublicSigningKey): Static<typeof Jwk> {
  const x = publicKey.toString('base64url')
  return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' }
}
