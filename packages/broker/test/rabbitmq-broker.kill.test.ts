import { waitFor } from '@postrider/testkit'
import { QUEUE_POLICIES, type PublishFate } from '../src/index.ts'
import { BrokerBench } from './broker-bench.ts'
import { Intake } from './intake.ts'
import { jobOf, jobsOf } from './jobs.ts'
import { PrivateBroker } from './private-broker.ts'
import { recordingLog } from './recording-log.ts'

const soon = (): AbortSignal => AbortSignal.timeout(60_000)

describe('the job queue on a RabbitMQ that misbehaves', () => {
  let broker: PrivateBroker
  let bench: BrokerBench
  beforeAll(async () => {
    broker = await PrivateBroker.start()
  })
  beforeEach(async () => {
    bench = await BrokerBench.open(broker.server.url)
  })
  afterEach(() => bench[Symbol.asyncDispose]())
  afterAll(() => broker[Symbol.asyncDispose]())

  it('declares durable quorum queues with no other argument', async () => {
    await bench.queue({ queuePrefix: 'plain.' })
    const rows = await broker.table('list_queues', 'name', 'type', 'durable', 'arguments', 'policy')
    expect(rows.filter((row) => row.startsWith('plain.'))).toEqual([
      'plain.deliveries.v1.dead quorum true [{"x-queue-type","quorum"}] ',
      'plain.deliveries.v1.fresh quorum true [{"x-queue-type","quorum"}] ',
      'plain.deliveries.v1.retry quorum true [{"x-queue-type","quorum"}] ',
    ])
  })

  it('has limits that the broker takes as policies', async () => {
    for (const { name, pattern, definition } of QUEUE_POLICIES) {
      await broker.setPolicy(name, pattern, definition)
    }
    await bench.queue({ queuePrefix: '' })
    const rows = await broker.table('list_queues', 'name', 'policy')
    expect(rows.filter((row) => row.startsWith('deliveries'))).toEqual([
      'deliveries.v1.dead postrider-dead',
      'deliveries.v1.fresh postrider-jobs',
      'deliveries.v1.retry postrider-jobs',
    ])
  })

  it('refuses the jobs that a full queue does not take', async () => {
    await broker.setPolicy('full', '^full\\.', { 'max-length': 1, overflow: 'reject-publish' })
    const queue = await bench.queue({ queuePrefix: 'full.' })
    await waitFor(
      async () => {
        const [fate] = await queue.publish([jobOf()])
        return fate === 'refused'
      },
      { what: 'a refused job' },
    )
    expect(queue.isAway).toBe(false)
  })

  it('is away under an alarm, refuses at once, and still acks', async () => {
    const queue = await bench.queue({ confirmTimeoutMs: 60_000 })
    const intake = new Intake()
    await queue.consume({ queue: 'fresh', prefetch: 1, onJob: intake.onJob })
    await queue.publish(jobsOf(3))
    await intake.reached(1)
    await broker.server.control(['set_vm_memory_high_watermark', '0.00001'])
    // The broker tells a connection when it next publishes; what it wrote then waits for the end.
    const caught = queue.publish([jobOf()])
    await waitFor(() => queue.isAway, { what: 'the alarm' })
    expect(await queue.publish(jobsOf(2))).toEqual(['refused', 'refused'])
    intake.at(0).ack()
    await intake.reached(2)
    intake.at(1).ack()
    await intake.reached(3)
    await broker.server.control(['set_vm_memory_high_watermark', '0.6'])
    await queue.ready(soon())
    expect(await caught).toEqual(['accepted'])
    expect(await queue.publish([jobOf()])).toEqual(['accepted'])
  })

  it('stops under an alarm', async () => {
    const log = recordingLog()
    const queue = await bench.queue({ confirmTimeoutMs: 500, log })
    await broker.server.control(['set_vm_memory_high_watermark', '0.00001'])
    const caught = queue.publish([jobOf()])
    await waitFor(() => queue.isAway, { what: 'the alarm' })
    await queue.stop()
    await broker.server.control(['set_vm_memory_high_watermark', '0.6'])
    expect(await caught).toEqual(['unknown'])
    expect(log.lines).not.toContain('warn giving up the connection to RabbitMQ')
  })

  it('comes back after an operator closed its connections', async () => {
    const queue = await bench.queue()
    const intake = new Intake()
    await queue.consume({ queue: 'fresh', prefetch: 1, onJob: intake.onJob })
    await queue.publish([jobOf()])
    await intake.reached(1)
    await broker.server.control(['close_all_connections', 'maintenance'])
    await intake.reached(2)
    expect(intake.received.map((each) => each.redelivered)).toEqual([false, true])
    await queue.ready(soon())
    expect(await queue.publish([jobOf()])).toEqual(['accepted'])
  })

  it('writes more than the socket takes at once as it takes it', async () => {
    const queue = await bench.queue({ queuePrefix: 'frozen.' })
    const jobs = jobsOf(3_000, { data: Buffer.alloc(20_000, ' ') })
    broker.freeze(true)
    const publishing = queue.publish(jobs)
    broker.freeze(false)
    expect(new Set(await publishing)).toEqual(new Set(['accepted']))
    await bench.reachesDepth('frozen.deliveries.v1.fresh', 3_000)
  })

  it('refuses what was never written when its bound has passed', async () => {
    const queue = await bench.queue({ confirmTimeoutMs: 500 })
    const jobs = jobsOf(3_000, { data: Buffer.alloc(20_000, ' ') })
    broker.freeze(true)
    const [fates, later] = await Promise.all([queue.publish(jobs), queue.publish(jobsOf(2))])
    broker.freeze(false)
    expect(new Set(fates)).toEqual(new Set(['unknown', 'refused']))
    expect(fates.lastIndexOf('unknown')).toBeLessThan(fates.indexOf('refused'))
    expect(later).toEqual(['refused', 'refused'])
    await queue.ready(soon())
  })

  it('delivers every accepted job and no refused one, however often the broker dies', async () => {
    const queue = await bench.queue({ confirmTimeoutMs: 5_000 })
    const intake = new Intake({ acks: true })
    await queue.consume({ queue: 'fresh', prefetch: 100, onJob: intake.onJob })
    const fates = new Map<string, PublishFate>()
    const over = new AbortController()
    const publishers = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) {
        const jobs = jobsOf(20)
        const given = await queue.publish(jobs)
        for (const [index, job] of jobs.entries())
          fates.set(job.eventUid, given[index] ?? 'unknown')
        // What a caller does who finds the queue away.
        if (queue.isAway) await queue.ready(over.signal).catch(() => undefined)
      }
    })
    try {
      for (let death = 0; death < 2; death++) {
        await intake.reached(intake.received.length + 500)
        await broker.server.kill()
        await waitFor(() => queue.isAway, { what: 'the outage' })
        await broker.server.start()
        await queue.ready(soon())
      }
    } finally {
      over.abort()
      await Promise.all(publishers)
    }
    const uidsOf = (fate: PublishFate): string[] =>
      [...fates].filter(([, given]) => given === fate).map(([uid]) => uid)
    const accepted = uidsOf('accepted')
    await waitFor(
      () => {
        const arrived = new Set(intake.eventUids)
        return accepted.every((uid) => arrived.has(uid))
      },
      { what: 'all accepted jobs', deadlineMs: 30_000 },
    )
    const refused = new Set(uidsOf('refused'))
    expect(intake.eventUids.filter((uid) => refused.has(uid))).toEqual([])
    // A job comes twice only when it was held as the broker died, and then it says so.
    const seen = new Set<string>()
    const unmarked = intake.received.filter(({ job, redelivered }) => {
      const isSecond = seen.has(job.eventUid)
      seen.add(job.eventUid)
      return isSecond && !redelivered
    })
    expect(unmarked).toEqual([])
  }, 120_000)

  it('has its queues back after the broker’s disk was wiped', async () => {
    const log = recordingLog()
    const queue = await bench.queue({ queuePrefix: 'wiped.', log })
    const intake = new Intake({ acks: true })
    await queue.consume({ queue: 'retry', prefetch: 10, onJob: intake.onJob })
    await broker.server.wipe()
    await waitFor(() => queue.isAway, { what: 'the outage' })
    expect(await queue.publish([jobOf()])).toEqual(['refused'])
    await broker.server.start()
    await queue.ready(soon())
    expect(await queue.publish([jobOf({ queue: 'retry' })])).toEqual(['accepted'])
    await intake.reached(1)
    expect(await broker.table('list_queues', 'name')).toEqual([
      'wiped.deliveries.v1.dead',
      'wiped.deliveries.v1.fresh',
      'wiped.deliveries.v1.retry',
    ])
    expect(log.lines).toContain('warn the connection to RabbitMQ was lost; dialling again')
  })
})
