import type { Ledger } from '../ledger.ts'
import { hashOf } from '../plan.ts'
import type { GivenSettings, Place, TypeServer } from '../type-server.ts'
import { BadLines } from './bad-lines.ts'
import type { Spell } from './weather.ts'

const DRAIN_EVERY_MS = 50

/** A server of the tests, for one destination. */
export interface ListingServer {
  readonly port: number
  stop(): Promise<void>
}

/** Of a type whose servers list what has arrived at them. */
export interface ListingType<S extends ListingServer> {
  readonly type: string
  readonly start: (id: string) => Promise<S>
  /** What has arrived since so many had. */
  readonly arrivals: (
    server: S,
    since: number,
  ) => readonly { readonly eventId: string; readonly data: Buffer }[]
  /** How an ill server fails, with how often it does. */
  readonly spells: (server: S) => readonly (readonly [Spell, number])[]
  /** @param port - where the destination reaches its server */
  readonly settings: (server: S, id: string, port: number) => GivenSettings
}

/** A server for each destination; ill ones refuse and are behind a bad line. */
export function startListingServers<S extends ListingServer>(
  { type, start, arrivals, spells, settings }: ListingType<S>,
  ledger: Ledger,
): TypeServer {
  const servers: { readonly id: string; readonly server: S; recorded: number }[] = []
  const lines = new BadLines()

  const drain = async (): Promise<void> => {
    for (const each of servers) {
      for (const { eventId, data } of arrivals(each.server, each.recorded)) {
        ledger.record(each.id, eventId, { deed: 'taken', code: null, hash: hashOf(data) })
        each.recorded += 1
      }
    }
  }
  const drainer = setInterval(() => void drain(), DRAIN_EVERY_MS) // Never rejects.
  return {
    type,
    seesTries: false,
    async add({ id, isIll, random }: Place) {
      const server = await start(id)
      servers.push({ id, server, recorded: 0 })
      const port = isIll ? await lines.to(server.port, random, spells(server)) : server.port
      return settings(server, id, port)
    },
    drain,
    async stop() {
      clearInterval(drainer)
      await lines.end()
      await Promise.all(servers.map(({ server }) => server.stop()))
    },
  }
}
