import type { DeliveryDestination } from '@postrider/common'
import type { AwsAccess } from '../aws/client-options.ts'
import { awsCredentials } from '../aws/credentials.ts'
import { parseQueueUrl } from './queue-url.ts'

/** What a client needs to know of a destination. */
export interface QueueSettings extends AwsAccess {
  readonly queueUrl: string
  /** The group of all messages; null: the queue has no groups. */
  readonly messageGroupId: string | null
}

/** Null: the settings are not such as validation lets through. */
export function queueSettings({
  tenantUid,
  tenantId,
  config,
  credentials,
}: DeliveryDestination): QueueSettings | null {
  const { queue_url: queueUrl = '', message_group_id: messageGroupId, endpoint } = config
  const queue = parseQueueUrl(queueUrl)
  const accessKey = awsCredentials(credentials)
  const region = queue?.region ?? config['region']
  if (queue === null || accessKey === null || region === undefined) return null
  return {
    tenantUid,
    region,
    // The queue is where its URL says; a region alone would lead elsewhere from an interface endpoint.
    endpoint: endpoint ?? queue.url.origin,
    credentials: accessKey,
    queueUrl,
    messageGroupId: queue.isFifo ? (messageGroupId ?? tenantId) : null,
  }
}
