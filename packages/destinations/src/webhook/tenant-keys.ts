import { createPrivateKey, sign } from 'node:crypto'
import type { DeliveryDestination } from '@postrider/common'
import type { ExpiringKey } from './hmac-keys.ts'

/**
 * Signs with all of a tenant's keys that are in force, the current one's signature first, each as
 * `v1a,<base64>`.
 *
 * @throws {Error} When there is none: a fault of ours, never a request without the signature
 */
export type TenantKeySigner = (content: Buffer, nowMs: number) => readonly string[]

/**
 * Imports the keys of a destination's tenant. Keys that cannot be imported show when they are to sign,
 * like missing ones: neither is for the tenant to mend.
 */
export function tenantKeys({ signingKeys = [] }: DeliveryDestination): TenantKeySigner {
  let keys: readonly ExpiringKey[] | null = null
  return (content, nowMs) => {
    keys ??= signingKeys.map(({ privateKey, invalidAtMs }) => ({
      key: createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' }),
      invalidAtMs: invalidAtMs ?? Number.POSITIVE_INFINITY,
    }))
    const inForce = keys.filter(({ invalidAtMs }) => invalidAtMs > nowMs)
    if (inForce.length === 0) throw new Error('the tenant has no key in force to sign with')
    return inForce.map(({ key }) => `v1a,${sign(null, content, key).toString('base64')}`)
  }
}
