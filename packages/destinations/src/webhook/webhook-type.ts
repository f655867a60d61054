import type { DestinationType } from '../destination-type.ts'
import type { HttpClientOptions } from '../http/http-client.ts'
import { currentWebhookCredentials, settleWebhookCredentials } from './credentials.ts'
import { WEBHOOK_EXAMPLE, webhookDocument } from './document.ts'
import { WebhookSender } from './sender.ts'
import type { WebhookSettings } from './settings.ts'
import { createSigner } from './signer.ts'
import { webhookTransport } from './transport.ts'
import { validateWebhook } from './validate.ts'

export interface WebhookTypeOptions extends Omit<HttpClientOptions, 'secureContext' | 'proxy'> {
  readonly settings: WebhookSettings
  readonly userAgent: string
  /** The forward proxy; null: none. */
  readonly proxyUrl: string | null
}

/**
 * @throws {Error} When a signature template or the file of certificates cannot be used
 */
export function createWebhookType(options: WebhookTypeOptions): DestinationType {
  const { settings, proxyUrl, ...rest } = options
  const transport = webhookTransport(settings, { proxyUrl, timeoutMs: rest.connectTimeoutMs })
  const signer = createSigner(settings)
  const rules = {
    guard: rest.guard,
    headerPrefix: settings.headerPrefix,
    httpsOnly: settings.httpsOnly,
  }
  return {
    document: webhookDocument(settings.mode),
    example: WEBHOOK_EXAMPLE,
    validate: (given) => validateWebhook(given, rules),
    target: ({ config }) => ({ target: config['url'] ?? '', targetUrl: null }),
    settleCredentials: (change) => settleWebhookCredentials(change, settings.mode),
    currentCredentials: currentWebhookCredentials,
    createSender: () => new WebhookSender({ ...rest, ...transport, settings, signer }),
  }
}
