export { createDelivery, type Delivery, type DeliveryParts } from './context.ts'
export { type DeliveryProcess, startDistributed as startDeliveryProcess } from './distributed.ts'
