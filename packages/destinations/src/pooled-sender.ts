import type { DeliveryDestination } from '@postrider/common'
import { type Client, ClientPool } from './client-pool.ts'
import { withinDeadline } from './deadline.ts'
import type { Sender, SendRequest, SendResult } from './destination-type.ts'
import { failed } from './send-result.ts'

/** Sends to one version of one destination. */
export interface SendingClient extends Client {
  /**
   * Resolves with what came of it, as soon as the signal aborts at the latest.
   *
   * @throws When the fault is ours
   */
  send(request: SendRequest, signal: AbortSignal): Promise<SendResult>
}

/** Stands for settings that no longer pass validation, such as after an upgrade: the tenant's to mend. */
const UNUSABLE: SendingClient = {
  send: async () => failed('unsendable'),
  close: async () => undefined,
}

/** Sends for all destinations of a type that has a client for each of them. */
export class PooledSender implements Sender {
  readonly #clients: ClientPool<SendingClient>

  /** @param createClient - null: the settings are not such as validation lets through */
  constructor(createClient: (destination: DeliveryDestination) => SendingClient | null) {
    this.#clients = new ClientPool({
      create: (destination) => createClient(destination) ?? UNUSABLE,
    })
  }

  async send(request: SendRequest): Promise<SendResult> {
    return withinDeadline(request.timeoutMs, async (signal) =>
      this.#clients.use(request.destination, async (client) => client.send(request, signal)),
    )
  }

  async stop(): Promise<void> {
    await this.#clients.stop()
  }
}
