import type { Log } from '@postrider/common'
import type { JobQueue } from '../src/index.ts'
import { Intake } from './intake.ts'
import { jobOf, jobsOf } from './jobs.ts'
import { recordingLog } from './recording-log.ts'

/** What an adapter lends the suite. */
export interface JobQueueHarness {
  /** A job queue that is ready, is empty, and shares nothing with the others; the harness stops it. */
  open(log: Log): Promise<JobQueue>
  stop(): Promise<void>
}

/** What every job queue promises. */
export function describeJobQueue(name: string, start: () => Promise<JobQueueHarness>): void {
  describe(name, () => {
    let harness: JobQueueHarness
    let queue: JobQueue
    let log = recordingLog()
    beforeAll(async () => {
      harness = await start()
    })
    beforeEach(async () => {
      log = recordingLog()
      queue = await harness.open(log)
    })
    afterAll(() => harness.stop())

    /**
     * A job has gone through the other queue and back: whatever was on its way to a consumer of `fresh`
     * has arrived.
     */
    const roundTrip = async (): Promise<void> => {
      const intake = new Intake({ acks: true })
      const consumer = await queue.consume({ queue: 'retry', prefetch: 1, onJob: intake.onJob })
      await queue.publish([jobOf({ queue: 'retry' })])
      await intake.reached(1)
      await consumer.cancel()
    }

    describe('publishing', () => {
      it('answers nothing when given nothing', async () => {
        expect(await queue.publish([])).toEqual([])
      })

      it('accepts jobs of both queues', async () => {
        const jobs = [jobOf(), jobOf({ queue: 'retry' }), jobOf()]
        expect(await queue.publish(jobs)).toEqual(['accepted', 'accepted', 'accepted'])
      })

      it('accepts many at once, from many callers', async () => {
        const intake = new Intake({ acks: true })
        await queue.consume({ queue: 'fresh', prefetch: 1_000, onJob: intake.onJob })
        const batches = Array.from({ length: 40 }, () => jobsOf(250))
        const fates = await Promise.all(batches.map((jobs) => queue.publish(jobs)))
        expect(new Set(fates.flat())).toEqual(new Set(['accepted']))
        expect(fates.map((each) => each.length)).toEqual(batches.map(() => 250))
        await intake.reached(10_000)
        expect(intake.eventUids).toEqual(batches.flat().map((job) => job.eventUid))
      })
    })

    describe('consuming', () => {
      it('hands out a job as it was published', async () => {
        const jobs = [
          jobOf({ metadata: { 'ключ "1"': 'välue\n\u0000' }, verify: true, topic: 'ø' }),
          jobOf({ data: null, manual: true, dispatch: 2_000_000_000 }),
          jobOf({ data: Buffer.from('{"n":1.10,\n"s":"a\\/b\u{1f600}"}') }),
          jobOf({ data: Buffer.alloc(60_000, 'x') }),
        ]
        const intake = new Intake()
        await queue.consume({ queue: 'fresh', prefetch: 10, onJob: intake.onJob })
        await queue.publish(jobs)
        await intake.reached(4)
        expect(intake.jobs).toEqual(jobs)
        expect(intake.received.map((each) => each.redelivered)).toEqual(jobs.map(() => false))
        expect(intake.received.map((each) => each.isLive)).toEqual(jobs.map(() => true))
      })

      it('hands out jobs that were published before, in their order', async () => {
        const jobs = jobsOf(50)
        await queue.publish(jobs.slice(0, 20))
        await queue.publish(jobs.slice(20))
        const intake = new Intake({ acks: true })
        await queue.consume({ queue: 'fresh', prefetch: 7, onJob: intake.onJob })
        await intake.reached(50)
        expect(intake.eventUids).toEqual(jobs.map((job) => job.eventUid))
      })

      it('never hands out inside a publish', async () => {
        const intake = new Intake({ acks: true })
        await queue.consume({ queue: 'fresh', prefetch: 10, onJob: intake.onJob })
        await roundTrip()
        const publishing = queue.publish(jobsOf(3))
        expect(intake.received).toHaveLength(0)
        await publishing
        await intake.reached(3)
      })

      it('keeps the queues apart', async () => {
        const fresh = new Intake({ acks: true })
        const retry = new Intake({ acks: true })
        await queue.consume({ queue: 'fresh', prefetch: 10, onJob: fresh.onJob })
        await queue.consume({ queue: 'retry', prefetch: 10, onJob: retry.onJob })
        await queue.publish([...jobsOf(3), ...jobsOf(2, { queue: 'retry' })])
        await fresh.reached(3)
        await retry.reached(2)
        expect(fresh.jobs.map((job) => job.queue)).toEqual(['fresh', 'fresh', 'fresh'])
        expect(retry.jobs.map((job) => job.queue)).toEqual(['retry', 'retry'])
      })

      it('shares a queue among its consumers', async () => {
        const [one, other] = [new Intake(), new Intake()]
        await queue.consume({ queue: 'fresh', prefetch: 5, onJob: one.onJob })
        await queue.consume({ queue: 'fresh', prefetch: 5, onJob: other.onJob })
        const jobs = jobsOf(10)
        await queue.publish(jobs)
        await one.reached(5)
        await other.reached(5)
        const handedOut = [...one.eventUids, ...other.eventUids]
        expect(handedOut.toSorted()).toEqual(jobs.map((job) => job.eventUid).toSorted())
      })

      it('goes on after a consumer that throws, ends the job, and logs it once', async () => {
        let count = 0
        await queue.consume({
          queue: 'fresh',
          prefetch: 2,
          onJob: (received) => {
            count++
            if (count <= 3) throw new Error('a fault of ours')
            received.ack()
          },
        })
        await queue.publish(jobsOf(6))
        const intake = new Intake()
        await roundTrip()
        await queue.publish([jobOf()])
        await queue.consume({ queue: 'fresh', prefetch: 1, onJob: intake.onJob })
        await roundTrip()
        expect(count + intake.received.length).toBe(7)
        expect(log.lines.filter((line) => line.startsWith('error'))).toEqual([
          'error the consumer of jobs threw; the job is left to its lease',
        ])
      })
    })

    describe('acks', () => {
      it('bound the jobs in the hands of a consumer', async () => {
        const intake = new Intake()
        await queue.consume({ queue: 'fresh', prefetch: 3, onJob: intake.onJob })
        await queue.publish(jobsOf(10))
        await intake.reached(3)
        await roundTrip()
        expect(intake.received).toHaveLength(3)
        intake.at(0).ack()
        await intake.reached(4)
        await roundTrip()
        expect(intake.received).toHaveLength(4)
      })

      it('count once, however often they are given', async () => {
        const intake = new Intake()
        await queue.consume({ queue: 'fresh', prefetch: 2, onJob: intake.onJob })
        await queue.publish(jobsOf(10))
        await intake.reached(2)
        intake.at(0).ack()
        intake.at(0).ack()
        await intake.reached(3)
        intake.at(0).ack()
        await roundTrip()
        expect(intake.received).toHaveLength(3)
      })

      it('work in any order, so that one slow job holds back nobody’s', async () => {
        const intake = new Intake()
        await queue.consume({ queue: 'fresh', prefetch: 4, onJob: intake.onJob })
        await queue.publish(jobsOf(31))
        for (let acked = 1; acked <= 27; acked += 3) {
          await intake.reached(acked + 3)
          for (const behind of [2, 0, 1]) intake.at(acked + behind).ack()
        }
        await intake.reached(31)
        intake.at(0).ack()
        for (const received of intake.received) received.ack()
        await queue.publish(jobsOf(4))
        await intake.reached(35)
        expect(intake.received.map((each) => each.isLive)).not.toContain(false)
      })
    })

    describe('a cancelled consumer', () => {
      it('is handed nothing more, and may still ack what it holds', async () => {
        const [before, after] = [new Intake(), new Intake({ acks: true })]
        const consumer = await queue.consume({ queue: 'fresh', prefetch: 2, onJob: before.onJob })
        const jobs = jobsOf(5)
        await queue.publish(jobs)
        await before.reached(2)
        await consumer.cancel()
        for (const received of before.received) {
          expect(received.isLive).toBe(true)
          received.ack()
        }
        await queue.consume({ queue: 'fresh', prefetch: 10, onJob: after.onJob })
        await after.reached(3)
        await roundTrip()
        expect(before.received).toHaveLength(2)
        expect(after.eventUids).toEqual(jobs.slice(2).map((job) => job.eventUid))
      })

      it('may be cancelled again, or before it was handed anything', async () => {
        const intake = new Intake()
        const consumer = await queue.consume({ queue: 'fresh', prefetch: 2, onJob: intake.onJob })
        await Promise.all([consumer.cancel(), consumer.cancel()])
        await consumer.cancel()
        await queue.publish([jobOf()])
        await roundTrip()
        expect(intake.received).toHaveLength(0)
      })
    })

    it('is ready, unless its signal has aborted', async () => {
      await queue.ready()
      await queue.ready(new AbortController().signal)
      expect(queue.isAway).toBe(false)
      await expect(queue.ready(AbortSignal.abort())).rejects.toThrow(/abort/i)
    })

    describe('when stopped', () => {
      it('is away, refuses jobs and takes no consumers', async () => {
        await queue.stop()
        expect(queue.isAway).toBe(true)
        expect(await queue.publish(jobsOf(2))).toEqual(['refused', 'refused'])
        await expect(queue.ready()).rejects.toThrow('stopped')
        const intake = new Intake()
        const options = { queue: 'fresh', prefetch: 1, onJob: intake.onJob } as const
        await expect(queue.consume(options)).rejects.toThrow('stopped')
      })

      it('lets publishes end, and does not mind being stopped again', async () => {
        const publishing = queue.publish(jobsOf(500))
        await Promise.all([queue.stop(), queue.stop()])
        await queue.stop()
        expect(new Set(await publishing)).toEqual(new Set(['accepted']))
      })

      it('takes the life of jobs that are still held, whose acks then go nowhere', async () => {
        const intake = new Intake()
        await queue.consume({ queue: 'fresh', prefetch: 5, onJob: intake.onJob })
        await queue.publish(jobsOf(3))
        await intake.reached(3)
        await queue.stop()
        expect(intake.received.map((each) => each.isLive)).toEqual([false, false, false])
        for (const received of intake.received) received.ack()
      })
    })
  })
}
