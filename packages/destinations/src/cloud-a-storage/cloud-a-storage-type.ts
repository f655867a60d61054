import type { AwsClientParts } from '../aws/aws-client-parts.ts'
import { PooledSender } from '../pooled-sender.ts'
import type { DestinationType } from '../destination-type.ts'
import { BucketClient } from './bucket-client.ts'
import { bucketSettings } from './bucket-settings.ts'
import { CLOUD_A_STORAGE_DOCUMENT, CLOUD_A_STORAGE_EXAMPLE } from './document.ts'
import { cloudAStorageTarget } from './target.ts'
import { validateCloudAStorage } from './validate.ts'

export function createCloudAStorageType(options: AwsClientParts): DestinationType {
  return {
    document: CLOUD_A_STORAGE_DOCUMENT,
    example: CLOUD_A_STORAGE_EXAMPLE,
    validate: (settings) => validateCloudAStorage(settings, options.guard),
    target: cloudAStorageTarget,
    createSender: () =>
      new PooledSender((destination) => {
        const settings = bucketSettings(destination)
        return settings === null ? null : new BucketClient(settings, options)
      }),
  }
}
