export { type RetryPolicy, retryDelayMs } from './backoff.ts'
export { Batcher, type BatcherOptions } from './batcher.ts'
export { type ByteRange, findMembers, type FoundMembers } from './data-range.ts'
export type {
  DeliveryKey,
  DeliveryReason,
  DeliveryStatus,
  DispatchKey,
  EventStatus,
  QueueName,
} from './delivery.ts'
export type { DeliveryDestination, SigningKey, StringMap } from './destination.ts'
export { compileFilter, type FilterEvent, validateFilter } from './filter/filter.ts'
export { attemptIdOf, attemptUidOf, newDestinationId, newEventId, newUid } from './ids.ts'
export {
  decodeJob,
  encodeJob,
  INLINE_DATA_LIMIT_BYTES,
  type Job,
  jobBytes,
  MalformedJobError,
} from './job.ts'
export type { Log, LogFields } from './log.ts'
export {
  type AttemptResponse,
  type AttemptResult,
  decide,
  type Decision,
  type DeliveryState,
  type JobOutcome,
  MAX_FAULTS,
  MAX_LOSSES,
  type NextState,
  type Outcome,
  type OutcomePolicy,
} from './outcome.ts'
export { pause } from './pause.ts'
export { parseRfc3339 } from './rfc3339.ts'
export { cleanText } from './text.ts'
export { timeFaults } from './time-faults.ts'
export { matchesTopic } from './topics.ts'
export { VERSION } from './version.ts'
