import { type ServiceBus, startFaultProxy, startServiceBus } from '@postrider/testkit'
import type { Ledger } from '../ledger.ts'
import { hashOf } from '../plan.ts'
import { TIMEOUT_MS } from '../timing.ts'
import type { Place, TypeServer } from '../type-server.ts'
import { type Spell, spellsOf, Weather } from './weather.ts'

/** A Service Bus for each destination, with one queue; ill ones refuse and are behind a bad line. */
export async function startBuses(ledger: Ledger): Promise<TypeServer> {
  const buses: { readonly id: string; readonly bus: ServiceBus; recorded: number }[] = []
  const endings: (() => Promise<void>)[] = []

  const badLine = async (bus: ServiceBus, { random }: Place): Promise<number> => {
    const proxy = await startFaultProxy({ port: bus.port })
    const weather = new Weather(random, [
      ...spellsOf(proxy, random, TIMEOUT_MS),
      [refusing(bus, 'com.microsoft:server-busy'), 3],
      [refusing(bus, 'com.microsoft:timeout'), 1],
      [async () => bus.fail('message', { kind: 'hang' }), 1],
      [async () => bus.fail('message', { kind: 'cut' }), 2],
      [async () => bus.fail('link', { kind: 'refuse', condition: 'amqp:not-found' }), 1],
    ])
    endings.push(async () => {
      await weather.end()
      await proxy.stop()
    })
    return proxy.port
  }
  const drain = async (): Promise<void> => {
    for (const each of buses) {
      const { id, bus } = each
      for (const { messageId, body } of bus.received.slice(each.recorded)) {
        ledger.record(id, messageId, { deed: 'taken', code: null, hash: hashOf(body) })
      }
      each.recorded = bus.received.length
    }
  }
  const drainer = setInterval(() => void drain(), 50) // Never rejects.
  return {
    type: 'cloud_b_bus',
    seesTries: false,
    async add(place) {
      const bus = await startServiceBus({ queues: [place.id] })
      buses.push({ id: place.id, bus, recorded: 0 })
      const port = place.isIll ? await badLine(bus, place) : bus.port
      return {
        config: { name: place.id },
        credentials: { connection_string: bus.connectionStringWith({ port }) },
      }
    },
    drain,
    async stop() {
      clearInterval(drainer)
      for (const end of endings.splice(0)) await end()
      await Promise.all(buses.map(({ bus }) => bus.stop()))
    },
  }
}

/** The next few messages are refused. */
function refusing(bus: ServiceBus, condition: string): Spell {
  return async () => bus.fail('message', { kind: 'refuse', condition }, 5)
}
