import type { QueueName } from '@postrider/common'
import type { Channel } from 'amqplib'

/** The names of the queues. They carry the version of the job message: see `encodeJob`. */
export interface Topology extends Readonly<Record<QueueName, string>> {
  /** What cannot be read as a job, for a person to look at. */
  readonly dead: string
}

/** @param prefix - put before each name, so that tests can share a broker */
export function topology(prefix: string): Topology {
  return {
    fresh: `${prefix}deliveries.v1.fresh`,
    retry: `${prefix}deliveries.v1.retry`,
    dead: `${prefix}deliveries.v1.dead`,
  }
}

/**
 * Makes the queues where they are missing. A queue's arguments are for its life, and a declaration
 * with others is refused: so there is only the one that must be; limits are the policies of
 * `limits.ts`.
 */
export async function declareTopology(channel: Channel, names: Topology): Promise<void> {
  for (const queue of [names.fresh, names.retry, names.dead]) {
    await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } })
  }
}
