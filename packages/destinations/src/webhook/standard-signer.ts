import { createHmac } from 'node:crypto'
import { hmacKeys } from './hmac-keys.ts'
import type { WebhookSettings } from './settings.ts'
import type { Signer } from './signer.ts'
import { tenantKeys } from './tenant-keys.ts'
import { standardSecretBytes } from './standard-secret.ts'

/**
 * The signer of Standard Webhooks (https://www.standardwebhooks.com): over `<id>.<timestamp>.<body>`
 * `v1,<base64 of the HMAC-SHA256>` for each secret in force, and, where the settings ask for Ed25519,
 * `v1a,<base64 of the signature>` for each of the tenant's keys in force; with spaces between them, of
 * each kind the current one first.
 */
export function createStandardSigner({ signing }: WebhookSettings): Signer {
  return {
    prepare(destination) {
      const secrets = hmacKeys(destination, standardSecretBytes)
      const signWithTenantKeys = signing === 'ed25519' ? tenantKeys(destination) : null
      return ({ eventId, timestamp, body, nowMs }) => {
        const head = `${eventId}.${timestamp}.`
        let header = ''
        for (const { key, invalidAtMs } of secrets) {
          if (invalidAtMs <= nowMs) continue
          const separator = header === '' ? '' : ' '
          header += `${separator}v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`
        }
        if (signWithTenantKeys === null) return header
        const content = Buffer.concat([Buffer.from(head), body])
        return `${header} ${signWithTenantKeys(content, nowMs).join(' ')}`
      }
    },
  }
}
