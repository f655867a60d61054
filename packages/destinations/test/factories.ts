import type { DeliveryDestination, Log } from '@postrider/common'
import type { SendRequest } from '../src/destination-type.ts'
import { AddressGuard, type AddressGuardOptions } from '../src/guard/address-guard.ts'
import { WebhookSender } from '../src/webhook/sender.ts'
import type { WebhookSettings } from '../src/webhook/settings.ts'
import { createSigner } from '../src/webhook/signer.ts'
import { webhookTransport } from '../src/webhook/transport.ts'

export const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='

/** A body on which parsing and writing again would show. */
export const DATA = Buffer.from(
  String.raw`{"n":12345678901234567890,"f":1.10,"u":"\u00e9é","s":"a\/b"}`,
)

const LOOPBACK = ['127.0.0.0/8', '::1/128']

export const SILENT_LOG: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
}

export function webhookSettings(changes: Partial<WebhookSettings> = {}): WebhookSettings {
  return {
    mode: 'default',
    headerPrefix: 'x-service-',
    disableEventIdHeader: false,
    disableTimestampHeader: false,
    disableTopicHeader: false,
    disableSignatureHeader: false,
    signatureAlgorithm: 'hmac-sha256',
    signatureEncoding: 'hex',
    signatureContentTemplate: '{{.Body}}',
    signatureHeaderTemplate: 'v0={{.Signatures | join ","}}',
    timestampSource: 'event',
    maxResponseBodyBytes: 128 * 1024,
    userAgent: null,
    signing: 'hmac',
    httpsOnly: false,
    minTlsVersion: 'TLSv1.2',
    extraCaFile: null,
    ...changes,
  }
}

export function webhookDestination(
  url: string,
  changes: Partial<DeliveryDestination> = {},
): DeliveryDestination {
  return {
    uid: '0192f5c3-a1b2-7abc-8def-0123456789ab',
    id: 'des_1',
    tenantUid: '0192f5c3-a1b2-7abc-8def-0123456789ac',
    tenantId: 'acme',
    type: 'webhook',
    version: 1,
    config: { url },
    credentials: { secret: SECRET },
    deliveryMetadata: {},
    topics: ['*'],
    isDisabled: false,
    ...changes,
  }
}

export function sendRequest(
  destination: DeliveryDestination,
  changes: Partial<SendRequest> = {},
): SendRequest {
  return {
    destination,
    eventId: 'evt_1',
    topic: 'user.created',
    timeMs: 1_700_000_000_999,
    attemptTimeMs: 1_700_000_600_000,
    metadata: {},
    data: DATA,
    timeoutMs: 5000,
    ...changes,
  }
}

export interface SenderChanges {
  readonly proxyUrl?: string
  /** What a delivery may take. Default 5 000. */
  readonly timeoutMs?: number
  readonly settings?: Partial<WebhookSettings>
  readonly guard?: AddressGuard | Partial<AddressGuardOptions>
}

/** A sender that may connect to loopback, where the tests' receivers are. */
export function webhookSender(changes: SenderChanges = {}): WebhookSender {
  const { settings, guard, proxyUrl = null, timeoutMs = 5000 } = changes
  const full = webhookSettings(settings)
  return new WebhookSender({
    settings: full,
    signer: createSigner(full),
    guard:
      guard instanceof AddressGuard
        ? guard
        : new AddressGuard({ allowedNetworks: LOOPBACK, ...guard }),
    userAgent: 'postrider/test',
    connectTimeoutMs: timeoutMs,
    ...webhookTransport(full, { proxyUrl, timeoutMs }),
    maxBodyBytes: full.maxResponseBodyBytes,
    log: SILENT_LOG,
  })
}
