import { InProcessJobQueue } from '../src/index.ts'
import { Intake } from './intake.ts'
import { describeJobQueue } from './job-queue.suite.ts'
import { jobOf, jobsOf } from './jobs.ts'
import { recordingLog } from './recording-log.ts'

describeJobQueue('the job queue in the process', async () => {
  const opened: InProcessJobQueue[] = []
  return {
    open: async (log) => {
      const queue = new InProcessJobQueue({ log })
      opened.push(queue)
      return queue
    },
    stop: async () => {
      await Promise.all(opened.map((queue) => queue.stop()))
    },
  }
})

describe('the job queue in the process', () => {
  it('passes jobs by reference', async () => {
    const queue = new InProcessJobQueue({ log: recordingLog() })
    const job = jobOf()
    const intake = new Intake({ acks: true })
    await queue.consume({ queue: 'fresh', prefetch: 1, onJob: intake.onJob })
    await queue.publish([job])
    await intake.reached(1)
    expect(intake.jobs[0]).toBe(job)
  })

  it('forgets what it holds when it is stopped', async () => {
    const queue = new InProcessJobQueue({ log: recordingLog() })
    const intake = new Intake({ acks: true })
    await queue.consume({ queue: 'fresh', prefetch: 1, onJob: intake.onJob })
    await queue.publish(jobsOf(3))
    await queue.stop()
    await new Promise(setImmediate)
    expect(intake.received).toHaveLength(0)
  })

  it('lets other work through between two windows of jobs that are acked at once', async () => {
    const queue = new InProcessJobQueue({ log: recordingLog() })
    const intake = new Intake({ acks: true })
    await queue.consume({ queue: 'fresh', prefetch: 10, onJob: intake.onJob })
    await queue.publish(jobsOf(100))
    await new Promise(setImmediate)
    expect(intake.received.length).toBeLessThanOrEqual(20)
    await intake.reached(100)
  })
})
