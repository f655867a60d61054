export {
  InProcessJobQueue,
  type InProcessJobQueueOptions,
} from './in-process/in-process-job-queue.ts'
export type {
  ConsumeOptions,
  JobConsumer,
  JobQueue,
  PublishFate,
  ReceivedJob,
} from './job-queue.ts'
export { QUEUE_POLICIES, type QueuePolicy } from './rabbitmq/limits.ts'
export { RabbitMqJobQueue, type RabbitMqJobQueueOptions } from './rabbitmq/rabbitmq-job-queue.ts'
