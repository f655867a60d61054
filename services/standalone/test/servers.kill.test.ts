import { once } from 'node:events'
import { connect } from 'node:net'
import type { Client } from './client.ts'
import { DistributedSet } from './distributed-set.ts'
import { Trial, TRIAL_TIMEOUT_MS } from './trial.ts'

/** A publish that waits for a server which is not there would take far longer. */
const QUICK_MS = 2_000

describe('a server of the distributed set that fails in a burst of publishes', () => {
  let set: DistributedSet
  let client: Client

  beforeAll(async () => {
    set = await DistributedSet.start()
    ;[{ client }] = await Promise.all([set.startApi(), set.startDeliverer()])
  })

  afterAll(async () => {
    await set[Symbol.asyncDispose]()
  })

  const brokerFailures = [
    { what: 'stopped', fail: async () => await set.rabbitMq.stop() },
    { what: 'killed', fail: async () => await set.rabbitMq.kill() },
    { what: 'wiped', fail: async () => await set.rabbitMq.wipe() },
  ]
  it.each(brokerFailures)(
    'RabbitMQ, $what: publishes are accepted as before, and all is delivered once when it is back',
    async ({ fail }) => {
      await using trial = await Trial.start(client)
      const { burst } = trial
      await trial.arrivals(50)
      await fail()
      await burst.reached(burst.accepted.size + 100)
      await set.rabbitMq.start()
      await burst.reached(burst.accepted.size + 100)
      expect(await trial.tally(client)).toEqual({ missing: [], doubled: 0 })
      expect(burst.unaccepted).toBe(0)
      expect(burst.slowestMs).toBeLessThan(QUICK_MS)
    },
    TRIAL_TIMEOUT_MS,
  )

  it(
    'Redis, flushed, then killed, then back and empty: all is delivered once',
    async () => {
      await using trial = await Trial.start(client)
      const { burst } = trial
      await trial.arrivals(50)
      await flush(set.redis.url)
      await burst.reached(150)
      await set.redis.kill()
      await burst.reached(250)
      await set.redis.start()
      await burst.reached(burst.accepted.size + 100)
      expect(await trial.tally(client)).toEqual({ missing: [], doubled: 0 })
      expect(burst.unaccepted).toBe(0)
      expect(burst.slowestMs).toBeLessThan(QUICK_MS)
    },
    TRIAL_TIMEOUT_MS,
  )

  it(
    'Postgres, restarted: every event that got a 202 is delivered once',
    async () => {
      await using trial = await Trial.start(client)
      const { burst } = trial
      await trial.arrivals(50)
      await set.postgres.stop()
      await set.postgres.start()
      await burst.reached(burst.accepted.size + 100)
      expect(await trial.tally(client)).toEqual({ missing: [], doubled: 0 })
    },
    TRIAL_TIMEOUT_MS,
  )

  it(
    'Postgres, killed: every event that got a 202 is delivered once',
    async () => {
      await using trial = await Trial.start(client)
      const { burst } = trial
      await trial.arrivals(50)
      await set.postgres.kill()
      await set.postgres.start()
      await burst.reached(burst.accepted.size + 100)
      expect(await trial.tally(client)).toEqual({ missing: [], doubled: 0 })
    },
    TRIAL_TIMEOUT_MS,
  )
})

/** Empties a Redis that goes on running. */
async function flush(url: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('FLUSHALL\r\n')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  expect(answer.toString()).toBe('+OK\r\n')
}
