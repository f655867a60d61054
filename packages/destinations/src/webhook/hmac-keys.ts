import { createSecretKey, type KeyObject } from 'node:crypto'
import type { DeliveryDestination } from '@postrider/common'
import { readSecrets } from './secrets.ts'

/** A key and when it stops signing: Unix milliseconds by Postgres' clock; the current one never does. */
export interface ExpiringKey {
  readonly key: KeyObject
  readonly invalidAtMs: number
}

/**
 * The keys behind the secrets of a webhook, the current one first.
 *
 * @param bytesOf - the bytes that a secret's text stands for
 * @throws {Error} When the webhook has no secret
 */
export function hmacKeys(
  { credentials }: DeliveryDestination,
  bytesOf: (secret: string) => Buffer,
): readonly ExpiringKey[] {
  const { current, previous } = readSecrets(credentials)
  // With an empty key anyone could sign.
  if (current === '') throw new Error('a webhook without a secret')
  return [
    { key: createSecretKey(bytesOf(current)), invalidAtMs: Number.POSITIVE_INFINITY },
    ...previous.map(({ secret, invalidAt }) => ({
      key: createSecretKey(bytesOf(secret)),
      invalidAtMs: Date.parse(invalidAt),
    })),
  ]
}
