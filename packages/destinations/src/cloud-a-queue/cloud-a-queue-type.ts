import type { AwsClientParts } from '../aws/aws-client-parts.ts'
import { PooledSender } from '../pooled-sender.ts'
import type { DestinationType } from '../destination-type.ts'
import { CLOUD_A_QUEUE_DOCUMENT, CLOUD_A_QUEUE_EXAMPLE } from './document.ts'
import { QueueClient } from './queue-client.ts'
import { queueSettings } from './queue-settings.ts'
import { cloudAQueueTarget } from './target.ts'
import { validateCloudAQueue } from './validate.ts'

export function createCloudAQueueType(options: AwsClientParts): DestinationType {
  return {
    document: CLOUD_A_QUEUE_DOCUMENT,
    example: CLOUD_A_QUEUE_EXAMPLE,
    validate: (settings) => validateCloudAQueue(settings, options.guard),
    target: cloudAQueueTarget,
    createSender: () =>
      new PooledSender((destination) => {
        const settings = queueSettings(destination)
        return settings === null ? null : new QueueClient(settings, options)
      }),
  }
}
