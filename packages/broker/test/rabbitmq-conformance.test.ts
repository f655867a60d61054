import { BrokerBench } from './broker-bench.ts'
import { describeJobQueue } from './job-queue.suite.ts'

describeJobQueue('the job queue on RabbitMQ', async () => {
  const bench = await BrokerBench.open()
  return {
    open: (log) => bench.queue({ log }),
    stop: () => bench[Symbol.asyncDispose](),
  }
})
