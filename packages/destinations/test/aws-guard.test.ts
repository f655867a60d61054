import type { DestinationType } from '@postrider/destinations'
import type { StringMap } from '@postrider/common'
import type { AwsClientParts } from '../src/aws/aws-client-parts.ts'
import { createCloudAQueueType } from '../src/cloud-a-queue/cloud-a-queue-type.ts'
import { createCloudAStorageType } from '../src/cloud-a-storage/cloud-a-storage-type.ts'
import { createCloudAStreamType } from '../src/cloud-a-stream/cloud-a-stream-type.ts'
import { awsDestination, REGION } from './aws.ts'
import { sendRequest, SILENT_LOG } from './factories.ts'
import { describeGuard, type GuardedType } from './guard-battery.ts'
import { configFaults } from './samples.ts'

type CreateType = (options: AwsClientParts) => DestinationType

/** A type whose place is in its config. */
function guarded(
  create: CreateType,
  name: string,
  configOf: (place: string) => StringMap,
): GuardedType {
  return {
    async send(guard, place) {
      const sender = create({ guard, log: SILENT_LOG }).createSender()
      try {
        return await sender.send(sendRequest(awsDestination(name, configOf(place))))
      } finally {
        await sender.stop()
      }
    },
    faults: (place) => configFaults(name, configOf(place)),
  }
}

const QUEUE = {
  region: REGION,
  queue_url: `https://sqs.${REGION}.amazonaws.com/123456789012/orders`,
}

describeGuard(
  'cloud_a_queue',
  guarded(createCloudAQueueType, 'cloud_a_queue', (place) => ({
    ...QUEUE,
    endpoint: `http://${place}`,
  })),
)

describeGuard(
  'cloud_a_queue by the URL of its queue, over TLS',
  guarded(createCloudAQueueType, 'cloud_a_queue', (place) => ({
    region: REGION,
    queue_url: `https://${place}/123456789012/orders`,
  })),
)

describeGuard(
  'cloud_a_stream',
  guarded(
    (options) => createCloudAStreamType({ ...options, hasMetadata: true }),
    'cloud_a_stream',
    (place) => ({ stream_name: 'orders', region: REGION, endpoint: `http://${place}/base` }),
  ),
)

describeGuard(
  'cloud_a_storage',
  guarded(createCloudAStorageType, 'cloud_a_storage', (place) => ({
    bucket: 'my-events',
    region: REGION,
    endpoint: `https://${place}`,
  })),
)
