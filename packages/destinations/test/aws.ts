import { state } from '@aws-sdk/core/client'
import { createRegistry, type Sender } from '@postrider/destinations'
import type { DeliveryDestination, Log, StringMap } from '@postrider/common'
import type { SendResult } from '../src/destination-type.ts'
import { SILENT_LOG, webhookDestination, webhookSettings } from './factories.ts'

/** An access key; the servers of the tests take any. */
export const ACCESS_KEY: StringMap = {
  key: 'AKIAIOSFODNN7EXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}

export const REGION = 'eu-west-1'

/** What the vendors' own clients of the tests need, to read back what was sent. */
export function clientOptions(endpoint: string) {
  // Not a word of the Node that a later release will need.
  state.warningEmitted = true
  const credentials = {
    accessKeyId: ACCESS_KEY['key'] ?? '',
    secretAccessKey: ACCESS_KEY['secret'] ?? '',
  }
  return { endpoint, region: REGION, credentials, maxAttempts: 1 }
}

export interface OpenSenderOptions {
  /** Default: loopback. */
  readonly allowedNetworks?: readonly string[]
  readonly kinesisMetadataInPayload?: boolean
  readonly log?: Log
}

/** The sender of a type as the service makes it. */
export function openSender(type: string, options: OpenSenderOptions = {}): Sender {
  const registry = createRegistry({
    webhook: webhookSettings(),
    allowedNetworks: ['127.0.0.0/8', '::1/128'],
    version: 'test',
    log: SILENT_LOG,
    ...options,
  })
  const sender = registry.get(type)?.createSender()
  if (sender === undefined) throw new Error(`there is no type ${type}`)
  return sender
}

export function awsDestination(
  type: string,
  config: StringMap,
  changes: Partial<DeliveryDestination> = {},
): DeliveryDestination {
  return webhookDestination('', { type, config, credentials: ACCESS_KEY, ...changes })
}

/** A result without an answer of the service. */
export function failure(code: string): SendResult {
  return { status: 'failed', code, response: null, retryAfterMs: null, disable: false }
}

/** What a tenant is shown of an answer. */
export function answerOf(result: SendResult | undefined): Record<string, unknown> {
  return { ...result?.response?.head, body: result?.response?.body.toString('utf8') }
}
