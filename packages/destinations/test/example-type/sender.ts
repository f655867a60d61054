import { ClientPool } from '../../src/client-pool.ts'
import { withinDeadline } from '../../src/deadline.ts'
import type { Sender, SendRequest, SendResult } from '../../src/destination-type.ts'
import { eventMetadata } from '../../src/event-metadata.ts'
import { failureCode } from '../../src/failure-code.ts'
import type { AddressGuard } from '../../src/guard/address-guard.ts'
import { headerText } from '../../src/http/header-text.ts'
import { isError } from '../../src/is-error.ts'
import { failed, succeeded } from '../../src/send-result.ts'
import { NatsClient } from './nats-client.ts'

/** Publishes to the servers of tenants. */
export class NatsSubjectSender implements Sender {
  readonly #clients: ClientPool<NatsClient>

  constructor(guard: AddressGuard) {
    // One live client for each version of a destination: new credentials come with a new client.
    this.#clients = new ClientPool({ create: (destination) => new NatsClient(destination, guard) })
  }

  async send(request: SendRequest): Promise<SendResult> {
    const { destination, timeoutMs, data } = request
    const headers = Object.entries(eventMetadata(request)).map(
      ([name, value]) => `${name}: ${headerText(value)}\r\n`,
    )
    return withinDeadline(timeoutMs, (signal) =>
      this.#clients.use(destination, async (client) => {
        try {
          return resultOf(await client.publish(headers.join(''), data, signal))
        } catch (error) {
          const code = isError(error) ? failureCode(error) : null
          // Out of sockets, say: a fault of ours is thrown, and no attempt is counted.
          if (code === null) throw error
          return failed(code)
        }
      }),
    )
  }

  async stop(): Promise<void> {
    await this.#clients.stop()
  }
}

function resultOf(answer: string): SendResult {
  if (answer === '+OK') return succeeded('ok')
  if (/authorization/i.test(answer)) return failed('auth_failed')
  return failed(/permissions/i.test(answer) ? 'access_denied' : 'protocol_error')
}
