import { PooledSender } from '../pooled-sender.ts'
import { TopicClient } from './topic-client.ts'
import type { TopicLinkOptions } from './topic-link.ts'
import { topicSettings } from './topic-settings.ts'

/** Publishes to the topics of tenants. */
export class CloudCTopicSender extends PooledSender {
  constructor(options: TopicLinkOptions) {
    super((destination) => {
      const settings = topicSettings(destination)
      return settings === null ? null : new TopicClient(settings, options)
    })
  }
}
