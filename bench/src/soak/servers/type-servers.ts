import type { Ledger } from '../ledger.ts'
import type { StartTypeServer, TypeServer } from '../type-server.ts'
import { startBrokers } from './brokers.ts'
import { startBuckets } from './buckets.ts'
import { startBuses } from './buses.ts'
import { startGateway, startWebhookReceiver } from './http-receivers.ts'
import { startQueues } from './queues.ts'
import { startStreams } from './streams.ts'
import { startTopics } from './topics.ts'

const STARTS: readonly StartTypeServer[] = [
  startWebhookReceiver,
  startQueues,
  startStreams,
  startBuckets,
  startBuses,
  startTopics,
  startBrokers,
  startGateway,
]

/**
 * Starts a server for every destination type.
 *
 * @param started - gets what has been started, also when something else could not be
 */
export async function startTypeServers(ledger: Ledger, started: TypeServer[]): Promise<void> {
  const starts = await Promise.allSettled(STARTS.map((start) => start(ledger)))
  for (const each of starts) if (each.status === 'fulfilled') started.push(each.value)
  for (const each of starts) if (each.status === 'rejected') throw each.reason
}
