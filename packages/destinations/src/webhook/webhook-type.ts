import type { DestinationType } from '../destination-type.ts'
import type { HttpClientOptions } from '../http/http-client.ts'
import { currentWebhookCredentials, settleWebhookCredentials } from './credentials.ts'
import { WEBHOOK_DOCUMENT, WEBHOOK_EXAMPLE } from './document.ts'
import { WebhookSender } from './sender.ts'
import type { WebhookSettings } from './settings.ts'
import { createSigner } from './signer.ts'
import { validateWebhook } from './validate.ts'

export interface WebhookTypeOptions extends HttpClientOptions {
  readonly settings: WebhookSettings
  readonly userAgent: string
}

/** @throws {Error} When a signature template cannot be used */
export function createWebhookType({ settings, ...options }: WebhookTypeOptions): DestinationType {
  const signer = createSigner(settings)
  const rules = { guard: options.guard, headerPrefix: settings.headerPrefix }
  return {
    document: WEBHOOK_DOCUMENT,
    example: WEBHOOK_EXAMPLE,
    validate: (given) => validateWebhook(given, rules),
    target: ({ config }) => ({ target: config['url'] ?? '', targetUrl: null }),
    settleCredentials: (change) => settleWebhookCredentials(change, settings.mode),
    currentCredentials: currentWebhookCredentials,
    createSender: () => new WebhookSender({ ...options, settings, signer }),
  }
}
