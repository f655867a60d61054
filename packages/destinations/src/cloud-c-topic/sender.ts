import { ClientPool } from '../client-pool.ts'
import { withinDeadline } from '../deadline.ts'
import type { Sender, SendRequest, SendResult } from '../destination-type.ts'
import { failed } from '../send-result.ts'
import { TopicClient } from './topic-client.ts'
import type { TopicLinkOptions } from './topic-link.ts'
import { topicSettings } from './topic-settings.ts'

/** Publishes to the topics of tenants. */
export class CloudCTopicSender implements Sender {
  readonly #clients: ClientPool<TopicClient>

  constructor(options: TopicLinkOptions) {
    this.#clients = new ClientPool({
      create(destination) {
        const settings = topicSettings(destination)
        if (settings === null) throw new Error('settings were not checked before they were used')
        return new TopicClient(settings, options)
      },
    })
  }

  async send(request: SendRequest): Promise<SendResult> {
    const { destination, timeoutMs } = request
    // Settings that no longer pass validation, such as after an upgrade: the tenant's to mend.
    if (topicSettings(destination) === null) return failed('unsendable')
    return withinDeadline(timeoutMs, async (expiry) =>
      this.#clients.use(destination, async (client) => client.send(request, expiry)),
    )
  }

  async stop(): Promise<void> {
    await this.#clients.stop()
  }
}
