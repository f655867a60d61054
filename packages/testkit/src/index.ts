export type { Direction } from './fault-lane.ts'
export {
  type CutOptions,
  type FaultProxy,
  type FaultProxyTarget,
  startFaultProxy,
} from './fault-proxy.ts'
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
export { type SignedRequest, verifySignature } from './verify-signature.ts'
