export { freePort } from '@postrider/servers'
export { type AwsCall, type AwsFault, type AwsFaults, startAwsFaults } from './aws/aws-faults.ts'
export { type AwsServer, startAwsServer } from './aws/aws-server.ts'
export { type KinesisServer, startKinesisServer } from './aws/kinesis-server.ts'
export {
  BROKEN_FAULTS,
  type BrokenFault,
  type BrokenReceiver,
  startBrokenReceiver,
} from './broken/broken-receiver.ts'
export type { Direction } from './fault-lane.ts'
export {
  type CutOptions,
  type FaultProxy,
  type FaultProxyTarget,
  startFaultProxy,
} from './fault-proxy.ts'
export { type FullBacklog, startFullBacklog } from './full-backlog.ts'
export {
  type PublishCall,
  type PubSub,
  type PubSubFault,
  type PubSubOptions,
  startPubSub,
} from './pub-sub/start-pub-sub.ts'
export type { PublishedMessage, PubSubMessage } from './pub-sub/topics.ts'
export { privatePostgres, privateRabbitMq, privateRedis } from './private-servers.ts'
export {
  type ConnectRequest,
  type ProxyFault,
  type ProxyServer,
  type ProxyServerOptions,
  startForwardProxy,
} from './proxy-server.ts'
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
export type { BusMessage } from './service-bus/bus-server.ts'
export type { BusFault, BusPoint } from './service-bus/faults.ts'
export {
  type ServiceBus,
  type ServiceBusOptions,
  startServiceBus,
} from './service-bus/start-service-bus.ts'
export { silentLog } from './silent-log.ts'
export { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './test-database.ts'
export { testRedis, type TestRedis } from './test-redis.ts'
export { testVhost, type TestVhost } from './test-vhost.ts'
export { type SignedRequest, verifySignature } from './verify-signature.ts'
export { waitFor, type WaitForOptions } from './wait-for.ts'
