/** A policy as RabbitMQ's definitions file and `rabbitmqctl set_policy` know it. */
export interface QueuePolicy {
  readonly name: string
  readonly pattern: string
  readonly 'apply-to': 'queues'
  readonly priority: number
  readonly definition: Readonly<Record<string, string | number>>
}

const MIB = 1024 * 1024

/**
 * The limits of the queues, for whoever sets up a broker. Nothing depends on them: the runway keeps the
 * queues far below. Jobs beyond them are refused, and so stay due in Postgres; of the dead the oldest go.
 */
export const QUEUE_POLICIES: readonly QueuePolicy[] = [
  {
    name: 'postrider-jobs',
    pattern: '^deliveries\\.v1\\.(fresh|retry)$',
    'apply-to': 'queues',
    priority: 0,
    // Four times the default runway of 50 000 jobs and 512 MiB.
    definition: {
      'max-length': 200_000,
      'max-length-bytes': 2_048 * MIB,
      overflow: 'reject-publish',
    },
  },
  {
    name: 'postrider-dead',
    pattern: '^deliveries\\.v1\\.dead$',
    'apply-to': 'queues',
    priority: 0,
    definition: { 'max-length': 10_000, 'max-length-bytes': 64 * MIB, overflow: 'drop-head' },
  },
]
