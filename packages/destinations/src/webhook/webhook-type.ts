import type { Log } from '@postrider/common'
import type { DestinationType } from '../destination-type.ts'
import type { AddressGuard } from '../guard/address-guard.ts'
import { currentWebhookCredentials, settleWebhookCredentials } from './credentials.ts'
import { WEBHOOK_DOCUMENT, WEBHOOK_EXAMPLE } from './document.ts'
import { WebhookSender } from './sender.ts'
import type { WebhookSettings } from './settings.ts'
import { createSigner } from './signer.ts'
import { validateWebhook } from './validate.ts'

export interface WebhookTypeOptions {
  readonly settings: WebhookSettings
  readonly guard: AddressGuard
  /** Postrider's own version. */
  readonly version: string
  readonly connectTimeoutMs: number
  readonly log: Log
}

/** @throws {Error} When the settings ask for a way of signing that does not exist */
export function createWebhookType(options: WebhookTypeOptions): DestinationType {
  const { settings, guard, version, connectTimeoutMs, log } = options
  const signer = createSigner(settings)
  const userAgent = settings.userAgent ?? `postrider/${version}`
  return {
    document: WEBHOOK_DOCUMENT,
    example: WEBHOOK_EXAMPLE,
    validate: (given) => validateWebhook(given, { guard, headerPrefix: settings.headerPrefix }),
    target: ({ config }) => ({ target: config['url'] ?? '', targetUrl: null }),
    settleCredentials: settleWebhookCredentials,
    currentCredentials: currentWebhookCredentials,
    createSender: () =>
      new WebhookSender({ settings, signer, guard, userAgent, connectTimeoutMs, log }),
  }
}
