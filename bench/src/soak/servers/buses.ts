import { type ServiceBus, startServiceBus } from '@postrider/testkit'
import type { Ledger } from '../ledger.ts'
import type { TypeServer } from '../type-server.ts'
import { startListingServers } from './listing-servers.ts'
import type { Spell } from './weather.ts'

/** A Service Bus for each destination, with one queue. */
export async function startBuses(ledger: Ledger): Promise<TypeServer> {
  return startListingServers<ServiceBus>(
    {
      type: 'cloud_b_bus',
      start: async (id) => startServiceBus({ queues: [id] }),
      arrivals: (bus, since) =>
        bus.received
          .slice(since)
          .map(({ messageId, body }) => ({ eventId: messageId, data: body })),
      spells: (bus) => [
        [refusing(bus, 'com.microsoft:server-busy'), 3],
        [refusing(bus, 'com.microsoft:timeout'), 1],
        [async () => bus.fail('message', { kind: 'hang' }), 1],
        [async () => bus.fail('message', { kind: 'cut' }), 2],
        [async () => bus.fail('link', { kind: 'refuse', condition: 'amqp:not-found' }), 1],
      ],
      settings: (bus, name, port) => ({
        config: { name },
        credentials: { connection_string: bus.connectionStringWith({ port }) },
      }),
    },
    ledger,
  )
}

/** The next few messages are refused. */
function refusing(bus: ServiceBus, condition: string): Spell {
  return async () => bus.fail('message', { kind: 'refuse', condition }, 5)
}
