import { PooledSender } from '../pooled-sender.ts'
import type { DestinationType } from '../destination-type.ts'
import { CLOUD_A_STREAM_DOCUMENT, CLOUD_A_STREAM_EXAMPLE } from './document.ts'
import { StreamClient, type StreamClientOptions } from './stream-client.ts'
import { streamSettings } from './stream-settings.ts'
import { cloudAStreamTarget } from './target.ts'
import { validateCloudAStream } from './validate.ts'

export function createCloudAStreamType(options: StreamClientOptions): DestinationType {
  return {
    document: CLOUD_A_STREAM_DOCUMENT,
    example: CLOUD_A_STREAM_EXAMPLE,
    validate: (settings) => validateCloudAStream(settings, options.guard),
    target: cloudAStreamTarget,
    createSender: () =>
      new PooledSender((destination) => {
        const settings = streamSettings(destination)
        return settings === null ? null : new StreamClient(settings, options)
      }),
  }
}
