import type { DeliveryDestination } from '@postrider/common'
import { type AwsAccess, awsAccess } from '../aws/access.ts'
import { parseQueueUrl } from './queue-url.ts'

/** What a client needs to know of a destination. */
export interface QueueSettings extends AwsAccess {
  readonly queueUrl: string
  /** The group of all messages; null: the queue has no groups. */
  readonly messageGroupId: string | null
}

/** Null: the settings are not such as validation lets through. */
export function queueSettings(destination: DeliveryDestination): QueueSettings | null {
  const { queue_url: queueUrl = '', message_group_id: group, ...config } = destination.config
  const queue = parseQueueUrl(queueUrl)
  if (queue === null) return null
  const access = awsAccess(destination, {
    region: queue.region ?? config['region'],
    // The queue is where its URL says; a region alone would lead elsewhere from an interface endpoint.
    endpoint: config['endpoint'] ?? queue.url.origin,
  })
  if (access === null) return null
  const messageGroupId = queue.isFifo ? (group ?? destination.tenantId) : null
  return { ...access, queueUrl, messageGroupId }
}
