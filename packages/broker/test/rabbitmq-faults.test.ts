import { type FaultProxy, startFaultProxy, waitFor } from '@postrider/testkit'
import type { RabbitMqJobQueue, RabbitMqJobQueueOptions } from '../src/index.ts'
import { BrokerBench } from './broker-bench.ts'
import { Intake } from './intake.ts'
import { jobOf, jobsOf } from './jobs.ts'
import { type RecordingLog, recordingLog } from './recording-log.ts'

describe('the job queue on RabbitMQ behind a bad network', () => {
  let bench: BrokerBench
  let proxy: FaultProxy
  let queuePrefix: string
  let fresh: string
  let log: RecordingLog
  beforeAll(async () => {
    bench = await BrokerBench.open()
  })
  beforeEach(async () => {
    proxy = await startFaultProxy({ port: Number(new URL(bench.url).port) })
    queuePrefix = bench.prefix()
    fresh = `${queuePrefix}deliveries.v1.fresh`
    log = recordingLog()
  })
  afterEach(() => proxy.stop())
  afterAll(() => bench[Symbol.asyncDispose]())

  const open = (options: Partial<RabbitMqJobQueueOptions> = {}): Promise<RabbitMqJobQueue> => {
    const url = new URL(bench.url)
    url.port = String(proxy.port)
    return bench.queue({ url: url.href, queuePrefix, log, ...options })
  }

  describe('publishing', () => {
    it('does not know the fate of jobs whose connection is cut before their confirm', async () => {
      const queue = await open()
      proxy.stall('down', true)
      const publishing = queue.publish(jobsOf(20))
      await bench.reachesDepth(fresh, 20)
      proxy.cutAll()
      expect(new Set(await publishing)).toEqual(new Set(['unknown']))
      expect(queue.isAway).toBe(true)
    })

    it.each(['reset', 'end'] as const)(
      'refuses while it is away, and is back by itself after a cut by %s',
      async (how) => {
        const queue = await open()
        await proxy.down()
        proxy.cutAll(how)
        await waitFor(() => queue.isAway, { what: 'the loss' })
        expect(await queue.publish(jobsOf(3))).toEqual(['refused', 'refused', 'refused'])
        await proxy.up()
        await queue.ready(AbortSignal.timeout(20_000))
        expect(await queue.publish([jobOf()])).toEqual(['accepted'])
        await bench.reachesDepth(fresh, 1)
      },
    )

    it('does not wait longer than its bound for a confirm, and gives the silent line up', async () => {
      const queue = await open({ confirmTimeoutMs: 300 })
      proxy.stall('down', true)
      expect(await queue.publish(jobsOf(3))).toEqual(['unknown', 'unknown', 'unknown'])
      await waitFor(() => queue.isAway, { what: 'the loss' })
      expect(log.lines).toContain('warn giving up the connection to RabbitMQ')
      proxy.stall('down', false)
      await queue.ready(AbortSignal.timeout(20_000))
      expect(await queue.publish([jobOf()])).toEqual(['accepted'])
    })

    it('stops within its bound when nobody answers', async () => {
      const queue = await open({ confirmTimeoutMs: 300 })
      proxy.stall('down', true)
      const publishing = queue.publish([jobOf()])
      await queue.stop()
      expect(await publishing).toEqual(['unknown'])
    })

    it('stops also while it is dialling', async () => {
      const queue = await open()
      proxy.blackhole(true)
      proxy.cutAll()
      await waitFor(() => queue.isAway, { what: 'the loss' })
      await queue.stop()
      expect(queue.isAway).toBe(true)
    })
  })

  describe('consuming', () => {
    it('hands held jobs out again after a cut, marked, and lets the old ones die', async () => {
      const queue = await open()
      const intake = new Intake()
      await queue.consume({ queue: 'fresh', prefetch: 2, onJob: intake.onJob })
      await queue.publish(jobsOf(3))
      await intake.reached(2)
      intake.at(0).ack()
      await intake.reached(3)
      proxy.cutAll()
      await intake.reached(5)
      const [acked, second, third, again, andAgain] = intake.received
      expect([acked, second, third].map((each) => each?.isLive)).toEqual([false, false, false])
      expect([again, andAgain].map((each) => each?.redelivered)).toEqual([true, true])
      expect(intake.eventUids.slice(3).toSorted()).toEqual(intake.eventUids.slice(1, 3).toSorted())
      // Tags begin anew on each channel: an old ack must not end another's job.
      for (const received of [acked, second, third]) received?.ack()
      for (const received of [again, andAgain]) received?.ack()
      await queue.stop()
      expect(intake.received).toHaveLength(5)
      await bench.reachesDepth(fresh, 0)
    })

    it('sends an ack for a lost channel nowhere', async () => {
      const queue = await open()
      const intake = new Intake()
      await queue.consume({ queue: 'fresh', prefetch: 1, onJob: intake.onJob })
      await queue.publish(jobsOf(2))
      await intake.reached(1)
      proxy.cutAll()
      await intake.reached(2)
      intake.at(0).ack()
      await queue.stop()
      await bench.reachesDepth(fresh, 2)
      expect(intake.received).toHaveLength(2)
    })

    it('begins when the broker is first reached', async () => {
      await proxy.down()
      const url = new URL(bench.url)
      url.port = String(proxy.port)
      const queue = bench.dial({ url: url.href, queuePrefix, log })
      const intake = new Intake()
      await queue.consume({ queue: 'fresh', prefetch: 1, onJob: intake.onJob })
      await proxy.up()
      await queue.ready(AbortSignal.timeout(20_000))
      const jobs = jobsOf(1)
      await queue.publish(jobs)
      await intake.reached(1)
      expect(intake.jobs).toEqual(jobs)
    })

    it('can be cancelled and stopped while the broker does not answer', async () => {
      const queue = await open()
      const intake = new Intake()
      const consumer = await queue.consume({ queue: 'fresh', prefetch: 1, onJob: intake.onJob })
      await proxy.down()
      await waitFor(() => queue.isAway, { what: 'the loss' })
      await consumer.cancel()
      await queue.stop()
      await proxy.up()
      expect(intake.received).toHaveLength(0)
    })
  })
})
