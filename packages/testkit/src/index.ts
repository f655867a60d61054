export { freePort } from '@postrider/servers'
export type { Direction } from './fault-lane.ts'
export {
  type CutOptions,
  type FaultProxy,
  type FaultProxyTarget,
  startFaultProxy,
} from './fault-proxy.ts'
export { privatePostgres, privateRabbitMq, privateRedis } from './private-servers.ts'
export { type Answer, createHold, type Hold } from './receiver-answer.ts'
export {
  type ReceivedRequest,
  type Receiver,
  type ReceiverOptions,
  startReceiver,
} from './receiver.ts'
export {
  type AttemptRow,
  attemptRow,
  type DeliveryRow,
  deliveryRow,
  type DestinationRow,
  destinationRow,
  type EventRow,
  eventRow,
  insertRows,
  type Rows,
  startOfToday,
  type TenantRow,
  tenantRow,
} from './rows.ts'
export { silentLog } from './silent-log.ts'
export { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './test-database.ts'
export { testRedis, type TestRedis } from './test-redis.ts'
export { testVhost, type TestVhost } from './test-vhost.ts'
export { type SignedRequest, verifySignature } from './verify-signature.ts'
export { waitFor, type WaitForOptions } from './wait-for.ts'
