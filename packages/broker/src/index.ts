export type {
  ConsumeOptions,
  JobConsumer,
  JobQueue,
  PublishFate,
  ReceivedJob,
} from './job-queue.ts'
