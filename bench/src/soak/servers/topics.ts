import { type PubSub, startPubSub } from '@postrider/testkit'
import type { Ledger } from '../ledger.ts'
import type { TypeServer } from '../type-server.ts'
import { startListingServers } from './listing-servers.ts'
import type { Spell } from './weather.ts'

const PROJECT = 'soak'

/** The status codes of gRPC that a publish may end with. */
const PERMISSION_DENIED = 7
const RESOURCE_EXHAUSTED = 8
const INTERNAL = 13

/** A Pub/Sub for each destination, with one topic. */
export async function startTopics(ledger: Ledger): Promise<TypeServer> {
  return startListingServers<PubSub>(
    {
      type: 'cloud_c_topic',
      start: async (id) => startPubSub({ topics: [`projects/${PROJECT}/topics/${id}`] }),
      arrivals: (pubSub, since) =>
        pubSub.published
          .slice(since)
          .map(({ attributes, data }) => ({ eventId: attributes['event-id'] ?? '', data })),
      spells: (pubSub) => [
        [refusing(pubSub, RESOURCE_EXHAUSTED), 3],
        [refusing(pubSub, PERMISSION_DENIED), 1],
        [refusing(pubSub, INTERNAL), 1],
        [async () => pubSub.fail({ kind: 'hang' }), 2],
      ],
      settings: (_, topic, port) => ({
        config: { project_id: PROJECT, topic, endpoint: `127.0.0.1:${port}` },
      }),
    },
    ledger,
  )
}

/** The next few calls are refused. */
function refusing(pubSub: PubSub, code: number): Spell {
  return async () => pubSub.fail({ kind: 'refuse', code, message: 'as the soak wants it' }, 3)
}
