import { type PubSub, startFaultProxy, startPubSub } from '@postrider/testkit'
import type { Ledger } from '../ledger.ts'
import { hashOf } from '../plan.ts'
import { TIMEOUT_MS } from '../timing.ts'
import type { Place, TypeServer } from '../type-server.ts'
import { type Spell, spellsOf, Weather } from './weather.ts'

const PROJECT = 'soak'

/** The status codes of gRPC that a publish may end with. */
const PERMISSION_DENIED = 7
const RESOURCE_EXHAUSTED = 8
const INTERNAL = 13

/** A Pub/Sub for each destination, with one topic; ill ones refuse and are behind a bad line. */
export async function startTopics(ledger: Ledger): Promise<TypeServer> {
  const all: { readonly id: string; readonly pubSub: PubSub; recorded: number }[] = []
  const endings: (() => Promise<void>)[] = []

  const badLine = async (pubSub: PubSub, { random }: Place): Promise<number> => {
    const proxy = await startFaultProxy({ port: pubSub.port })
    const weather = new Weather(random, [
      ...spellsOf(proxy, random, TIMEOUT_MS),
      [refusing(pubSub, RESOURCE_EXHAUSTED), 3],
      [refusing(pubSub, PERMISSION_DENIED), 1],
      [refusing(pubSub, INTERNAL), 1],
      [async () => pubSub.fail({ kind: 'hang' }), 2],
    ])
    endings.push(async () => {
      await weather.end()
      await proxy.stop()
    })
    return proxy.port
  }
  const drain = async (): Promise<void> => {
    for (const each of all) {
      const { id, pubSub } = each
      for (const { attributes, data } of pubSub.published.slice(each.recorded)) {
        const arrival = { deed: 'taken', code: null, hash: hashOf(data) } as const
        ledger.record(id, attributes['event-id'] ?? '', arrival)
      }
      each.recorded = pubSub.published.length
    }
  }
  const drainer = setInterval(() => void drain(), 50) // Never rejects.
  return {
    type: 'cloud_c_topic',
    seesTries: false,
    async add(place) {
      const pubSub = await startPubSub({ topics: [`projects/${PROJECT}/topics/${place.id}`] })
      all.push({ id: place.id, pubSub, recorded: 0 })
      const port = place.isIll ? await badLine(pubSub, place) : pubSub.port
      return { config: { project_id: PROJECT, topic: place.id, endpoint: `127.0.0.1:${port}` } }
    },
    drain,
    async stop() {
      clearInterval(drainer)
      for (const end of endings.splice(0)) await end()
      await Promise.all(all.map(({ pubSub }) => pubSub.stop()))
    },
  }
}

/** The next few calls are refused. */
function refusing(pubSub: PubSub, code: number): Spell {
  return async () => pubSub.fail({ kind: 'refuse', code, message: 'as the soak wants it' }, 3)
}
