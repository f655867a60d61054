import { ForwardProxy } from '../http/forward-proxy.ts'
import type { HttpClientOptions } from '../http/http-client.ts'
import { createTlsContext } from '../http/tls-context.ts'
import type { WebhookSettings } from './settings.ts'

export interface TransportOptions {
  /** The forward proxy; null: none. */
  readonly proxyUrl: string | null
  /** What a delivery may take. */
  readonly timeoutMs: number
}

/**
 * How webhooks travel: whom they trust, and through which proxy.
 *
 * @throws {Error} When the file with extra certificates cannot be used, with the setting's name
 */
export function webhookTransport(
  { minTlsVersion, extraCaFile }: WebhookSettings,
  { proxyUrl, timeoutMs }: TransportOptions,
): Required<Pick<HttpClientOptions, 'secureContext' | 'proxy'>> {
  const secureContext = createTlsContext({ minVersion: minTlsVersion, extraCaFile })
  const proxy =
    proxyUrl === null ? null : new ForwardProxy({ url: proxyUrl, timeoutMs, secureContext })
  return { secureContext, proxy }
}
