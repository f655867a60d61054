export { CredentialsCipher, UndecryptableError } from './credentials-cipher.ts'
export { claimDeliveries } from './delivery/claim.ts'
export { readClockMs } from './delivery/clock.ts'
export {
  readDestinationsForDelivery,
  readDestinationVersions,
} from './delivery/destination-reads.ts'
export { disableUsedVersion } from './delivery/disable.ts'
export {
  type DueDelivery,
  type DueRound,
  findEndedLeases,
  findWaiting,
  WALK_START,
  type WalkCursor,
} from './delivery/due.ts'
export { readEventData } from './delivery/event-data.ts'
export { giveUp } from './delivery/give-up.ts'
export { writeOutcomes, type WrittenOutcome } from './delivery/outcomes.ts'
export { putBackRedelivered, releaseAllLeases, releaseJobs } from './delivery/release.ts'
export { type SkipAnswer, skipUndeliverable } from './delivery/skip.ts'
export { type Taken, takeJobs } from './delivery/take.ts'
export type { DestinationContent, StoredDestination } from './destination-rows.ts'
export {
  changeDestination,
  createDestination,
  deleteDestination,
  getDestination,
  listDestinations,
} from './destinations.ts'
export { acquireJobLock, type JobLock } from './job-lock.ts'
export { oldestDueAgeSeconds } from './health.ts'
export { runMaintenance } from './maintenance.ts'
export { type ManualRetryAnswer, retryByHand } from './manual-retry.ts'
export { checkSchema, migrate, SchemaMismatchError } from './migrate.ts'
export { deleteExpiredKeys, dropExpiredPartitions, ensurePartitions } from './partitions.ts'
export { isPostgresAway, isUniqueViolation, type PgReaction, reactionTo } from './pg-errors.ts'
export {
  type InsertedBatch,
  type InsertOptions,
  insertPublishBatch,
  type NewDelivery,
  type NewEvent,
} from './publish/insert-publish-batch.ts'
export { type PublishedEvent, type PublishKey, readPublished } from './publish/read-published.ts'
export {
  readRoutings,
  readTenants,
  type RoutedDestination,
  type RoutedTenant,
  type RoutedTenants,
  type Routing,
} from './publish/read-routings.ts'
export type { AttemptParts } from './reads/attempt-candidates.ts'
export { type AttemptFilter, listAttempts } from './reads/attempt-list.ts'
export { type AttemptResponseView, type AttemptView, findAttempt } from './reads/attempt-reads.ts'
export {
  type DestinationEventFilter,
  findDestinationEvent,
  listDestinationEvents,
} from './reads/destination-events.ts'
export { findDestination, readDestinations } from './reads/destination-reads.ts'
export { type EventFilter, listEvents } from './reads/event-list.ts'
export {
  type DeliveryView,
  type EventView,
  findEvent,
  type FoundEvent,
} from './reads/event-reads.ts'
export type { ListPosition, Page, PageRequest } from './reads/page.ts'
export type { TimeBound } from './reads/walk.ts'
export { type PublicSigningKey, readPublicKeys, rotateSigningKeys } from './signing-keys.ts'
export { openStore, type Store, type StoreOptions } from './store.ts'
export {
  countTenants,
  deleteTenant,
  getTenant,
  listTenants,
  putTenant,
  readTenantAge,
  type Tenant,
  type TenantAge,
} from './tenants.ts'
