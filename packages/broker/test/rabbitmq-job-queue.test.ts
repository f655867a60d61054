import { waitFor } from '@postrider/testkit'
import { encodeJob } from '@postrider/common'
import type { Message } from 'amqplib'
import { dial, parseBrokerUrl, socketOf } from '../src/rabbitmq/dial.ts'
import { BrokerBench } from './broker-bench.ts'
import { Intake } from './intake.ts'
import { jobOf, jobsOf } from './jobs.ts'
import { recordingLog } from './recording-log.ts'

const DECLARING = 'warn a queue is missing in RabbitMQ; declaring it again'

describe('the job queue on RabbitMQ', () => {
  let bench: BrokerBench
  let queuePrefix: string
  let fresh: string
  let dead: string
  beforeAll(async () => {
    bench = await BrokerBench.open()
  })
  beforeEach(() => {
    queuePrefix = bench.prefix()
    fresh = `${queuePrefix}deliveries.v1.fresh`
    dead = `${queuePrefix}deliveries.v1.dead`
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  /** Takes the oldest message of a queue, waiting for one. */
  const nextOf = (queue: string): Promise<Message> =>
    waitFor(() => bench.channel.get(queue, { noAck: true }), { what: `a message in ${queue}` })

  it('publishes persistent messages whose body is the encoded job', async () => {
    const queue = await bench.queue({ queuePrefix })
    const job = jobOf()
    await queue.publish([job])
    const message = await bench.channel.get(fresh, { noAck: true })
    expect(message).toMatchObject({
      content: encodeJob(job),
      properties: { deliveryMode: 2 },
    })
  })

  it('finds the socket in amqplib, which its types do not show', async () => {
    const model = await dial(parseBrokerUrl(bench.url), new AbortController().signal)
    expect(socketOf(model)).toMatchObject({ writableHighWaterMark: 1024 * 1024 })
    await model.close()
  })

  it('splits the jobs of many publishes into fates of their own', async () => {
    const queue = await bench.queue({ queuePrefix })
    await bench.channel.deleteQueue(`${queuePrefix}deliveries.v1.retry`)
    const jobs = [...jobsOf(2), jobOf({ queue: 'retry' }), jobOf()]
    const fates = await queue.publish(jobs)
    expect(fates).toEqual(['accepted', 'accepted', 'refused', 'accepted'])
  })

  describe('a queue that was deleted', () => {
    it('refuses the jobs that come back, and is there again for the next', async () => {
      const log = recordingLog()
      const queue = await bench.queue({ queuePrefix, log })
      await bench.channel.deleteQueue(fresh)
      expect(await queue.publish(jobsOf(50))).toEqual(jobsOf(50).map(() => 'refused'))
      await waitFor(
        async () => {
          const [fate] = await queue.publish([jobOf()])
          return fate === 'accepted'
        },
        { what: 'an accepted job' },
      )
      expect(log.lines).toContain(DECLARING)
      expect(queue.isAway).toBe(false)
    })

    it('is declared and consumed again after the server cancelled its consumer', async () => {
      const log = recordingLog()
      const queue = await bench.queue({ queuePrefix, log })
      const intake = new Intake()
      await queue.consume({ queue: 'fresh', prefetch: 10, onJob: intake.onJob })
      await queue.publish([jobOf()])
      await intake.reached(1)
      await bench.channel.deleteQueue(fresh)
      await waitFor(() => !intake.at(0).isLive, { what: 'the loss' })
      intake.at(0).ack()
      await waitFor(async () => (await queue.publish([jobOf()]))[0] === 'accepted', {
        what: 'the queue',
      })
      await intake.reached(2)
      expect(intake.at(1)).toMatchObject({ isLive: true, redelivered: false })
      expect(log.lines).toContain('warn RabbitMQ cancelled a consumer; subscribing again')
    })
  })

  describe('a message that is no job', () => {
    it('goes to the dead queue with its reason, once, and blocks nothing', async () => {
      const log = recordingLog()
      const queue = await bench.queue({ queuePrefix, log })
      const intake = new Intake({ acks: true })
      await queue.consume({ queue: 'fresh', prefetch: 1, onJob: intake.onJob })
      bench.channel.sendToQueue(fresh, Buffer.from('poison'))
      const job = jobOf()
      await waitFor(async () => (await queue.publish([job]))[0] === 'accepted', {
        what: 'a job behind it',
      })
      await intake.reached(1)
      expect(intake.jobs).toEqual([job])
      const message = await nextOf(dead)
      expect(message.content.toString()).toBe('poison')
      expect(message.properties.deliveryMode).toBe(2)
      expect(message.properties.headers).toMatchObject({
        'postrider-queue': 'fresh',
        'postrider-reason': 'no header line',
      })
      expect(log.lines.filter((line) => line.startsWith('error'))).toEqual([
        'error a message that is no job goes to the dead queue',
      ])
      await queue.stop()
      await bench.reachesDepth(fresh, 0)
      expect(await bench.depth(dead)).toBe(0)
    })

    it('gets there also when the dead queue has to be made first', async () => {
      const queue = await bench.queue({ queuePrefix })
      const intake = new Intake({ acks: true })
      await queue.consume({ queue: 'fresh', prefetch: 1, onJob: intake.onJob })
      await queue.publish([jobOf()])
      await intake.reached(1)
      await bench.channel.deleteQueue(dead)
      bench.channel.sendToQueue(fresh, Buffer.from('[1]\n{}'))
      await waitFor(
        async () => {
          await queue.publish([jobOf()])
          return intake.received.length > 1
        },
        { what: 'an accepted job behind it' },
      )
      expect((await nextOf(dead)).content.toString()).toBe('[1]\n{}')
    })
  })

  it('hands out everything that was held, marked redelivered, when a holder stops', async () => {
    const one = await bench.queue({ queuePrefix })
    const held = new Intake()
    await one.consume({ queue: 'fresh', prefetch: 3, onJob: held.onJob })
    await one.publish(jobsOf(5))
    await held.reached(3)
    held.at(1).ack()
    await held.reached(4)
    await one.stop()
    const other = await bench.queue({ queuePrefix })
    const rest = new Intake({ acks: true })
    await other.consume({ queue: 'fresh', prefetch: 10, onJob: rest.onJob })
    await rest.reached(4)
    const marks = Object.fromEntries(
      rest.received.map((each) => [each.job.eventUid, each.redelivered]),
    )
    const [first, , third, fourth] = held.eventUids
    expect(marks).toMatchObject({ [`${first}`]: true, [`${third}`]: true, [`${fourth}`]: true })
    expect(Object.values(marks).filter((mark) => !mark)).toHaveLength(1)
  })

  it('writes the acks that are due before it closes', async () => {
    const queue = await bench.queue({ queuePrefix })
    const intake = new Intake({ acks: true })
    await queue.consume({ queue: 'fresh', prefetch: 1_000, onJob: intake.onJob })
    await queue.publish(jobsOf(300))
    await intake.reached(300)
    await queue.stop()
    await bench.reachesDepth(fresh, 0)
    expect(await bench.depth(fresh)).toBe(0)
  })

  it('keeps a cancelled consumer’s channel until the last job that it held is acked', async () => {
    const queue = await bench.queue({ queuePrefix })
    const intake = new Intake()
    const consumer = await queue.consume({ queue: 'fresh', prefetch: 2, onJob: intake.onJob })
    await queue.publish(jobsOf(2))
    await intake.reached(2)
    await consumer.cancel()
    intake.at(0).ack()
    expect(intake.at(1).isLive).toBe(true)
    intake.at(1).ack()
    await waitFor(() => !intake.at(1).isLive, { what: 'the end of the channel' })
    await queue.stop()
    await bench.reachesDepth(fresh, 0)
  })

  it('is away while it is refused, says so once, and never shows the password', async () => {
    const log = recordingLog()
    const url = new URL(bench.url)
    url.password = 'not-the-password'
    const queue = bench.dial({ url: url.href, log })
    expect(await queue.publish([jobOf()])).toEqual(['refused'])
    await waitFor(() => log.lines.length > 0, { what: 'a second try' })
    await expect(queue.ready(AbortSignal.timeout(500))).rejects.toThrow(/abort/i)
    expect(queue.isAway).toBe(true)
    expect(log.lines).toEqual(['warn RabbitMQ cannot be reached; trying on'])
    expect(JSON.stringify(log.fields)).toMatch(/ACCESS_REFUSED|403/)
    expect(JSON.stringify(log.fields)).not.toContain('not-the-password')
  })
})
