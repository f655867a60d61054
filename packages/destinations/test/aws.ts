import { state } from '@aws-sdk/core/client'
import type { DeliveryDestination, StringMap } from '@postrider/common'
import type { SendResult } from '../src/destination-type.ts'
import { webhookDestination } from './factories.ts'

/** An access key; the servers of the tests take any. */
export const ACCESS_KEY: StringMap = {
  key: 'AKIAIOSFODNN7EXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}

export const REGION = 'eu-west-1'

/** The types of AWS. */
export const AWS_TYPES: readonly string[] = ['cloud_a_queue', 'cloud_a_stream', 'cloud_a_storage']

/** Config of each of them, for servers that are not asked what they have; an endpoint leads there. */
export const AWS_CONFIG: StringMap = {
  queue_url: `https://sqs.${REGION}.amazonaws.com/123456789012/orders`,
  stream_name: 'orders',
  bucket: 'my-events',
  region: REGION,
}

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

export function awsDestination(
  type: string,
  config: StringMap,
  changes: Partial<DeliveryDestination> = {},
): DeliveryDestination {
  return webhookDestination('', { type, config, credentials: ACCESS_KEY, ...changes })
}

/** What a tenant is shown of an answer. */
export function answerOf(result: SendResult | undefined): Record<string, unknown> {
  return { ...result?.response?.head, body: result?.response?.body.toString('utf8') }
}
